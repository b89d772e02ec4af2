import type { LiveDocument } from '../../daemon/documents/live-documents.ts'
import { notFound } from './api-failure.ts'
import type { ConsoleDeps } from './console-deps.ts'

/** Finds the document of a pipeline that audience start runs. Throws `unknown-pipeline`. */
export function findDocument({ documents }: Pick<ConsoleDeps, 'documents'>, name: string): LiveDocument {
  const found = documents().get(name)
  if (found) return found
  throw notFound(
    'unknown-pipeline',
    `audience start runs no pipeline ${name}`,
    'pipelines whose documents have errors are left out: the page System and `audience validate` name them',
  )
}
