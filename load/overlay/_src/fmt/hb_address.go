package fmt

// hbAddress notes that the program prints an address. Here an address is the same in every execution.
func hbAddress()
