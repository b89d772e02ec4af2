/** Why a file with such a name cannot be used, as part of a sentence. */
export const NAME_NOT_UTF8 = 'its name is not UTF-8'

/** What to do about such a file. */
export const RENAME_TO_UTF8 = 'rename it so that its name is valid UTF-8'

/**
 * Whether a name or path may stand for bytes that are not UTF-8: they become U+FFFD, and the file cannot be opened by
 * that name. A name can also contain U+FFFD itself.
 */
export function mayBeNotUtf8(name: string): boolean {
  return name.includes('\ufffd')
}
