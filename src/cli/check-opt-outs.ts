import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentSettings } from '../config/load-settings.ts'
import type { FileSignal } from '../contract/enumerations.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { AudienceError } from '../core/errors.ts'
import { optOutPath } from '../core/privacy.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, itemsOf } from '../document/document-node.ts'
import { readYaml } from '../document/read-yaml.ts'
import { missingFile } from '../pipeline/check-files-exist.ts'
import { isFile, whyUnseen } from '../platform/is-file.ts'

/**
 * The problems with those opt-out lists in audience.yaml that would be applied to lists of these signals. A missing
 * list is only a warning, because documents may be checked on a machine without the data.
 */
export async function checkOptOuts(
  { file, text }: { file: string; text: string },
  { privacy: { suppress }, lists: limits }: Pick<DocumentSettings, 'privacy' | 'lists'>,
  signals: readonly FileSignal[],
): Promise<readonly Diagnostic[]> {
  if (suppress.length === 0) return []
  const reporter = new DiagnosticCollector(file, text)
  const root = readYaml(text, new DiagnosticCollector(file, text))
  const nodes = itemsOf(childOf(childOf(root, 'privacy'), 'suppress'))
  const folder = await mkdtemp(join(tmpdir(), 'audience-validate-'))
  // Loaded only here, because no other part of `validate` reads lists.
  const { openLists } = await import('../lists/open-lists.ts')
  const lists = openLists({ folder, sources: {}, suppress: [], limits })
  try {
    for (const [index, node] of nodes.entries()) {
      const optOut = suppress[index]
      if (optOut === undefined) continue
      const path = optOutPath(optOut)
      const problem = isFile(path)
        ? await lists.proveOptOuts(optOut, signals, new AbortController().signal).then(() => undefined, problemOf)
        : missingFile(path, 'until it is there, no list can be prepared', whyUnseen(path))
      if (problem?.code === 'opt-outs-unusable') reporter.error(problem, node)
      else if (problem) reporter.warning(problem, node)
    }
  } finally {
    await lists.close()
    await rm(folder, { recursive: true, force: true })
  }
  return reporter.diagnostics()
}

function problemOf(error: unknown) {
  if (!(error instanceof AudienceError)) throw error
  const { code, message, hint } = error
  return { code, message, hint }
}
