const PREFIX = 'audience.'

/** Reads a choice that this browser stores; '' if there is none. */
export function readChoice(name: string): string {
  try {
    return localStorage.getItem(PREFIX + name) ?? ''
  } catch {
    return ''
  }
}

/** Stores a choice, if the browser allows that. */
export function writeChoice(name: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, value)
  } catch {
    // The choice lasts until the tab closes.
  }
}
