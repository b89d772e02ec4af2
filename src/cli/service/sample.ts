import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { writeSample } from '../../app/write-sample.ts'
import { embeddedFolder } from '../../config/settings.ts'
import { SEGMENT_SIGNALS } from '../../contract/enumerations.ts'
import { didYouMean } from '../../core/did-you-mean.ts'
import { type AudienceError, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { inspectFile } from '../../steps/inspect-file.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'

export interface SampleFlags {
  readonly signal: string
  readonly rows: number
  readonly seed: number
  readonly unknown: number
  readonly output: string
}

/** Writes a CSV of keys from the embedded service's population. */
export async function sampleService(flags: SampleFlags, terminal: Terminal): Promise<number> {
  const { cwd, err } = terminal
  const signal = SEGMENT_SIGNALS.find((candidate) => candidate === flags.signal)
  if (!signal) {
    throw usageError(
      'unknown-signal',
      `there is no signal "${flags.signal}"`,
      didYouMean(flags.signal, SEGMENT_SIGNALS) ?? '',
    )
  }
  const settings = settingsOf(terminal)
  const { rows, seed, unknown } = flags
  const target = resolve(cwd, flags.output)
  if (existsSync(target) || !existsSync(dirname(target))) throw wrongOutput(flags.output, existsSync(target))
  await writeSample(embeddedFolder(settings), { signal, rows, seed, unknown, target })
  const written = await inspectFile(target, { signal, minimumShare: 0 }, new AbortController().signal)
  err.write(`wrote ${flags.output}: ${count(written.rows, 'row')} under a header\n`)
  return 0
}

function wrongOutput(output: string, isThere: boolean): AudienceError {
  return usageError(
    'wrong-output',
    isThere ? `${output} already exists; it was left as it is` : `the folder of ${output} does not exist`,
    'name another file with -o',
  )
}
