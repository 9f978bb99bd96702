/** The part of the package that is used here. The package has no types of its own. */
declare module 'fs-native-extensions' {
  /**
   * Locks an open, writable file for everybody else. Returns false if somebody else has the lock. The lock
   * ends when the descriptor is closed. Throws the error of the system.
   */
  export function tryLock(descriptor: number): boolean;
}
