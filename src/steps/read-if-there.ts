import { isNotFound } from '../adapter/api-error.ts'

/**
 * The result of a read; undefined on a 404, or on a 400 in answer to a read by id: the resource does not exist
 * (decision 138).
 */
export async function readIfThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
