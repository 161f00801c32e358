// room Varlink
