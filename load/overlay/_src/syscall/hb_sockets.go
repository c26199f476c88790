package syscall

// Sockets that are files. Package net has their listeners.

// HbMakeSocket makes a socket at path.
func HbMakeSocket(path string, socket any) error {
	const longest = 107
	if len(path) > longest {
		return EINVAL
	}
	path, err := hbPath(_AT_FDCWD, path)
	if err != nil {
		return err
	}
	var dirs hbDirs
	dirs.lock(path)
	defer dirs.unlock()
	//mutant: making a socket declares nothing [models TestModels/connUnix]
	hbTouchName(path, true)
	at, err := hbFree(path)
	if err == EEXIST {
		err = EADDRINUSE
	}
	if err != nil {
		return err
	}
	n := hbMake(at, S_IFSOCK|0o777&^uint32(hbUmask))
	n.socket = socket
	hbCreated(at, n)
	return nil
}

// HbSocket returns the listener at path; nil if there is none.
func HbSocket(path string) (socket any, err error) {
	if path, err = hbPath(_AT_FDCWD, path); err != nil {
		return nil, err
	}
	hbTouchName(path, false)
	at, e := hbWalk(path, true)
	switch {
	case e != 0:
		return nil, e
	case at.node != nil:
		return at.node.socket, nil
	case at.mode()&S_IFMT == S_IFSOCK:
		hbRefuse("socket", "connecting with "+at.path+", a socket of another process")
	}
	return nil, nil
}
