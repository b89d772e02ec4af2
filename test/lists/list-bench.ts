import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ListFigures, ListRequest } from '../../src/lists/list-request.ts'
import { type ListsOptions, openLists } from '../../src/lists/open-lists.ts'

const PLACE = { runId: 'run-1', stepKey: 'list', pipeline: 'nightly' }

/** Prepares lists of texts in a folder of its own, which ends with the test or hook. */
export function listBench({ suppress = [], sources = {} }: Partial<Pick<ListsOptions, 'suppress' | 'sources'>> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'lists-'))
  try {
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  } catch {
    // In a hook there is no test that could finish.
  }
  const folder = join(base, 'lists')
  const lists = openLists({ folder, sources, suppress })
  return {
    base,
    folder,
    lists,
    place: PLACE,
    /** Prepares a list of e-mail addresses, if the request does not say otherwise. */
    prepare(content: string | Uint8Array, request: Partial<ListRequest>): Promise<ListFigures> {
      const file = join(base, 'people')
      writeFileSync(file, content)
      return lists.make({ from: { file }, signal: 'EMAIL', ...request }, PLACE, new AbortController().signal)
    },
    content: () => readFileSync(lists.fileOf(PLACE), 'utf8'),
  }
}
