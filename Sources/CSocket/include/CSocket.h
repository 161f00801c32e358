// control-message macros
