import { isJsonObject, type Json } from '../../core/json.ts'
import type { RemoteFile, RemoteSource } from '../../core/remote-source.ts'
import type { RemoteAct } from '../../core/trigger.ts'

/** What happened to a file at its source. `kept`: it is still where it was found. */
export interface FiledAway {
  readonly state: 'kept' | 'gone'
  readonly movedTo?: string
}

/**
 * Once the run of a file has ended, treats the file as the document says. A repeated call after a crash finishes the
 * work.
 */
export async function fileAway(
  source: RemoteSource,
  file: RemoteFile,
  { act, name, ticket, signal }: { act: RemoteAct; name: string; ticket: string; signal: AbortSignal },
): Promise<FiledAway> {
  switch (act.act) {
    case 'keep':
      return { state: 'kept' }
    case 'tag':
      await source.tag(file, { key: act.key, value: act.value, signal })
      return { state: 'kept' }
    case 'delete':
      await source.remove(file, { signal })
      return { state: 'gone' }
    case 'move':
      return { state: 'gone', movedTo: await source.move(file, { folder: act.folder, name, ticket, signal }) }
  }
}

/** Reads an act from the form in which the occurrence store keeps it. */
export function actOf(value: Json | undefined): RemoteAct {
  if (!isJsonObject(value)) return { act: 'keep' }
  const { act, folder, key, value: tag } = value
  if (act === 'delete') return { act }
  if (act === 'move' && typeof folder === 'string') return { act, folder }
  if (act === 'tag' && typeof key === 'string' && typeof tag === 'string') return { act, key, value: tag }
  return { act: 'keep' }
}
