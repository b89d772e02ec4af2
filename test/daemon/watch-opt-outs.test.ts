import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { AudienceError } from '../../src/core/errors.ts'
import { watchOptOuts } from '../../src/daemon/watch-opt-outs.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A watch on files that checks again when the test says so. `read` returns why a list cannot be used. */
function watched(names: readonly string[], read: (file: string, signals: readonly FileSignal[]) => string | undefined) {
  const folder = tempFolder()
  const files = names.map((name) => join(folder, name))
  for (const file of files) writeFileSync(file, 'email\n')
  let now = 0
  let signals: readonly FileSignal[] = ['EMAIL']
  let wake: () => void = () => undefined
  const logged: string[] = []
  const reads: string[] = []
  const log = pino(
    {},
    {
      write(line: string) {
        const { file = '', msg } = JSON.parse(line)
        logged.push(`${file.slice(folder.length + 1)}: ${msg}`)
      },
    },
  )
  const asleep = Promise.withResolvers<void>()
  let sleeping = asleep
  const watch = watchOptOuts({
    optOuts: files,
    signals: () => signals,
    async prove(optOut, of) {
      const name = String(optOut).slice(folder.length + 1)
      reads.push(name)
      const message = read(name, of)
      const code = message?.startsWith('the disk') ? 'list-disk-full' : 'opt-outs-unusable'
      if (message !== undefined) throw new AudienceError({ code, kind: 'failed', message })
    },
    clock: {
      now: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          wake = () => {
            now += ms
            resolve()
          }
          sleeping.resolve()
        }),
    },
    log,
  })
  onTestFinished(() => watch.stop())
  return {
    watch,
    reads,
    logged,
    files,
    first: () => asleep.promise,
    async look(times = 1) {
      for (let n = 0; n < times; n++) {
        sleeping = Promise.withResolvers<void>()
        wake()
        await sleeping.promise
      }
    },
    setSignals(next: readonly FileSignal[]) {
      signals = next
    },
    /** Each text must have a different size from the one before. */
    write: (text: string) => writeFileSync(files[0] ?? '', text),
  }
}

test('each list is read once, and again only after it changed and stayed so for two looks', async () => {
  let why: string | undefined
  const { watch, reads, first, look, write, logged } = watched(['a', 'b'], (name) => (name === 'a' ? why : undefined))
  expect(watch.troubles()).toBeUndefined()
  await first()
  await look(3)
  expect(reads).toEqual(['a', 'b'])
  expect([watch.troubles(), watch.reason()]).toEqual([[], undefined])
  why = 'it is the page of an error'
  write('<html>')
  await look()
  write('<html> and more')
  await look()
  expect(reads).toHaveLength(2)
  await look(3)
  expect(reads).toEqual(['a', 'b', 'a'])
  expect(watch.reason()).toBe('it is the page of an error')
  expect(watch.troubles()).toMatchObject([{ error: { code: 'opt-outs-unusable' } }])
  why = undefined
  write('email\na@x.com\n')
  await look(2)
  expect(watch.troubles()).toEqual([])
  expect(logged).toEqual(['a: an opt-out list cannot be used', 'a: an opt-out list can be used again'])
})

test('a list whose writer sets the time back is read again', async () => {
  const { reads, first, look, write, files } = watched(['a'], () => undefined)
  const setBack = () => utimesSync(files[0] ?? '', 1_700_000_000, 1_700_000_000)
  await first()
  setBack()
  await look(3)
  const before = reads.length
  write('<html>')
  setBack()
  await look(3)
  expect(reads).toHaveLength(before + 1)
})

test('a list that is gone or replaced for one look is not told; one that stays away is', async () => {
  const { watch, first, look, write, files, logged } = watched(['a'], () => undefined)
  await first()
  rmSync(files[0] ?? '')
  await look()
  write('email\nb@x.com\n')
  await look(2)
  expect([watch.reason(), logged]).toEqual([undefined, []])
  watch.stop()
})

test('the lists are read anew when other signals are prepared', async () => {
  const read = (_: string, of: readonly FileSignal[]) => (of.includes('IP') ? 'it has no IP key' : undefined)
  const { watch, reads, first, look, setSignals } = watched(['a', 'b'], read)
  await first()
  setSignals(['IP', 'EMAIL', 'IP'])
  await look(2)
  expect(reads).toEqual(['a', 'b', 'a', 'b'])
  expect(watch.reason()).toBe('it has no IP key (and 1 more)')
})

test('what is not the fault of the file is tried again, though not at each look', async () => {
  let why: string | undefined = 'the disk is full'
  const { watch, reads, first, look } = watched(['a'], () => why)
  await first()
  await look(10)
  expect(reads).toHaveLength(1)
  why = undefined
  await look(10)
  expect(reads).toHaveLength(2)
  expect(watch.reason()).toBeUndefined()
})
