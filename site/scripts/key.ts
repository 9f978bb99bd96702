/**
 * The field for the reader's key. No address and no cookie has the key. The browser keeps it for the tab once
 * the service has accepted it, and on this device if the reader wants that.
 */
export const keyField = document.getElementById('key') as HTMLInputElement;

const name = 'api key';
/** The storage of the tab and that of the device. A browser may refuse both. */
const storages = [() => sessionStorage, () => localStorage] as const;

/** Does something with each storage that this browser lets the page have. */
function withStorages(act: (storage: Storage, isOfDevice: boolean) => void): void {
  for (const [at, storage] of storages.entries()) {
    try {
      act(storage(), at === 1);
    } catch {
      // Then the key is gone with the page.
    }
  }
}

/** Keeps the key of the field for the tab, and on this device if `isRemembered`. Its form folds. */
export function keepKey(isRemembered: boolean): void {
  keyField.form?.classList.add('kept');
  withStorages((storage, isOfDevice) => {
    if (isOfDevice && !isRemembered) storage.removeItem(name);
    else storage.setItem(name, keyField.value.trim());
  });
}

/** Forgets the key in every storage, and shows its form again. */
export function forgetKey(): void {
  keyField.form?.classList.remove('kept');
  withStorages((storage) => storage.removeItem(name));
}

/** Puts the key that was kept into the field. Returns whether this device remembers it. */
export function findKey(): boolean {
  let isRemembered = false;
  withStorages((storage, isOfDevice) => {
    const kept = storage.getItem(name);
    if (kept === null) return;
    if (keyField.value === '') keyField.value = kept;
    isRemembered ||= isOfDevice;
  });
  return isRemembered;
}

/** The header of requests that need a key. */
export function keyHeaders(): Record<string, string> {
  return { 'x-api-key': keyField.value.trim() };
}
