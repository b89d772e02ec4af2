import { isNotFound } from '../adapter/api-error.ts'

/** The result of a read; undefined if the service says that the resource does not exist (decision 138). */
export async function readIfThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
