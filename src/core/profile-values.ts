import type { JsonObject } from './json.ts'

/** What a profile of audience.yaml means for documents. */
export interface ProfileValues {
  readonly name: string
  /** The defaults that it gives to inputs of documents, by their names; integers as bigint. */
  readonly inputs: JsonObject
  /** Absolute path of the configuration; the files that `inputs` name are relative to its folder. */
  readonly file: string | undefined
  /** The names of all profiles; undefined if no configuration was found here, because there may be one elsewhere. */
  readonly known: readonly string[] | undefined
}
