// room MediaLibrary
