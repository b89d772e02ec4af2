/** The service of entries that versions before it was recorded have written, until their profile is used. */
export const UNKNOWN_SERVICE = ''
