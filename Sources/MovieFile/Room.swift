// room MovieFile
