import { useEffect } from 'preact/hooks'
import type { GetAnswer, GetInput, GetPath } from '../../api/types.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { connection } from '../../live/connection.ts'

const EVERY_MS = 2000

/** Reads of the embedded service, and reads again while somebody looks: it tells nobody what changes there. */
export function useServiceRead<Path extends Extract<GetPath, `/service/${string}`>>(
  path: Path,
  input: GetInput<Path>,
): Read<GetAnswer<Path>> {
  const read = useRead(path, input)
  useEffect(() => {
    const timer = setInterval(() => {
      // After a connection that was lost, everything is read anyway.
      if (!document.hidden && connection.peek().state !== 'lost') read.reload()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return read
}
