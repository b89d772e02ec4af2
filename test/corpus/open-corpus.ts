import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseJson, stringifyJson } from '../../src/core/json.ts'
import { createForecast } from '../../src/steps/index.ts'
import { openStepBench } from '../steps/support/step-bench.ts'
import { type Meaning, meaningOf } from './meaning.ts'

const folder = resolve(import.meta.dirname, '../fixtures/corpus')

/** Documents that were valid once, each with its meaning at that time: `nightly.yaml` with `nightly.json`. */
export const corpus = readdirSync(folder).filter((name) => name.endsWith('.yaml'))

const snapshotOf = (name: string) => join(folder, name.replace(/\.yaml$/, '.json'))

/** What a document meant when it was added; undefined if it has not been added. */
export function recorded(name: string): unknown {
  return existsSync(snapshotOf(name)) ? parseJson(readFileSync(snapshotOf(name), 'utf8')) : undefined
}

/** Records the meaning of a document, in few lines. Refuses a recorded document: its meaning must never change. */
export function record(name: string, meaning: Meaning): void {
  const members = Object.entries(meaning).map(([key, value]) => `"${key}": ${stringifyJson(value)}`)
  writeFileSync(snapshotOf(name), `{${members.join(',\n')}}\n`, { flag: 'wx' })
}

/** Returns the present meaning of documents, with an empty service. */
export async function openCorpus(): Promise<{ meaningOf(name: string): Promise<Meaning>; close(): Promise<void> }> {
  // The documents have their own folder, because the files that they name are made next to them.
  const copy = mkdtempSync(join(tmpdir(), 'audience-corpus-'))
  cpSync(folder, copy, { recursive: true })
  const bench = await openStepBench()
  const forecast = createForecast({ ...bench.services, api: bench.api, signal: new AbortController().signal })
  return {
    meaningOf: (name) => meaningOf(name, copy, forecast),
    async close() {
      await bench.close()
      rmSync(copy, { recursive: true })
    },
  }
}
