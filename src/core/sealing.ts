/**
 * How a run stores data that it uses again. Only the secrets of its own document are replaced, by references to their
 * environment variables. Everything else is stored as it is, so that no secret of another document changes it.
 */
export interface Sealing {
  /** Whether `seal` changes the data in this JSON text. */
  changes(text: string): boolean
  /** Replaces secrets by references. A secret in another encoding becomes `***`, which cannot be opened. */
  seal<T>(data: T): T
  /** Undoes `seal`. References to variables that are not set become `***`; `missing` gets their names. */
  open<T>(data: T, missing?: (name: string) => void): T
}
