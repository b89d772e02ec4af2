import { ApiError } from '../adapter/api-error.ts'

/** Whether the service refused this very request: 400 or 409, whatever the text (decision 144). */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.request.status === 400 || error.request.status === 409)
}
