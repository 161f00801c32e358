print("camctl")
