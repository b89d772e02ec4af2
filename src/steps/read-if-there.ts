import { isNotFound } from '../adapter/api-error.ts'

/** What is read, or undefined where it is not there: 404, and 400 to a read by id (decision 138). */
export async function readIfThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
