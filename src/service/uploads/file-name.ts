/** The longest name that a segment can refer to (decision 109). */
const MAX_LENGTH = 100

/**
 * The name under which an upload is kept: the client's file name without directories, or why it is not allowed
 * (decision 109).
 */
export function fileNameOf(sent: string | undefined): { name: string } | { problem: string } {
  if (sent === undefined) return { problem: 'must have a file name' }
  const name = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
  if (name.trim() === '') return { problem: 'must have a file name that is not blank' }
  if (name === '.' || name === '..') return { problem: `must have a file name, not ${JSON.stringify(name)}` }
  if (/\p{Cc}/u.test(name)) return { problem: 'must have a file name without control characters' }
  if (name.length > MAX_LENGTH) return { problem: `must have a file name of at most ${MAX_LENGTH} characters` }
  return { name }
}
