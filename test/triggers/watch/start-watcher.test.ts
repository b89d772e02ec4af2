import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '../../../src/core/duration.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { fileCheck } from '../../../src/policy/enforce.ts'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { folderTrouble, startWatcher } from '../../../src/triggers/watch/start-watcher.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { DROP, depsOf, isInInbox, until, type Watching, watching } from './watching.ts'

const SHORT = 'settle: 400ms'

/** After this pause, no present file will be taken any more. */
function quiet(): Promise<void> {
  return systemClock.sleep(200)
}

function drop(bench: Watching, name: string, content = `key\n${name}@example.com\n`): string {
  const path = join(bench.inbox, name)
  writeFileSync(path, content)
  return path
}

function nest(bench: Watching): void {
  mkdirSync(join(bench.inbox, 'b.csv'))
  drop(bench, 'b.csv/a.csv')
}

describe('a file that is dropped', () => {
  test('is given to a run, and lies in `done` after it', async () => {
    const bench = watching()
    bench.start(SHORT)
    drop(bench, 'a.csv', 'a@example.com\n')
    await until(() => bench.occurrences().some(({ open }) => !open))
    expect(bench.runs.map(({ content }) => content)).toEqual(['a@example.com\n'])
    expect(bench.names('done')).toEqual(['a.csv'])
    expect(bench.names('inbox')).toEqual([])
    expect(readdirSync(join(bench.inbox, '.taken', 'drops.drop'))).toEqual([])
    const { values, key } = bench.runs[0]!.firing
    expect(values).toEqual({
      file: expect.stringMatching(/\/inbox\/\.taken\/drops\.drop\/[^/]+\/a\.csv$/),
      name: 'a.csv',
      size: 14,
      sha256: key,
      modifiedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(bench.occurrences()).toMatchObject([{ state: 'ran', runId: 'run-1', detail: { outcome: 'succeeded' } }])
    expect(bench.occurrences()[0]).not.toHaveProperty('open')
  })

  test('lies in `failed` with the reason beside it when its run failed', async () => {
    const bench = watching()
    bench.ending = () => 'failed'
    bench.start(SHORT)
    drop(bench, 'a.csv')
    await until(() => bench.names('failed').length === 2)
    expect(bench.names('failed')).toEqual(['a.csv', 'a.csv.reason.txt'])
    const reason = bench.read('failed/a.csv.reason.txt')
    expect(reason).toContain('its run run-1 failed at the step upload: the service said no')
    expect(reason).toContain('ask it why; audience runs show run-1 shows more')
  })

  test('has control characters of its name and of the reason escaped in the note beside it', async () => {
    const bench = watching()
    bench.ending = () => 'failed'
    const message = 'no\u001b[2J\nRun: another\u202e'
    bench.start(SHORT, { whyFailed: async () => ({ code: 'job-failed', kind: 'failed', message }) })
    drop(bench, 'a\u001b[2J\n.csv')
    await until(() => bench.names('failed').length === 2)
    const lines = bench.read('failed/a\u001b[2J\n.csv.reason.txt').split('\n')
    expect(lines).toHaveLength(9)
    expect(lines[0]).toBe('File: a\\x1b[2J\\n.csv')
    expect(lines[1]).toBe('What happened: its run run-1 failed: no\\x1b[2J\\nRun: another\\u202e')
  })

  test.each(['link', 'rename'] as const)('has the reason beside it before it is there itself, by %s', async (way) => {
    const bench = watching()
    bench.ending = () => 'failed'
    const path = join(bench.folder, 'failed')
    const lonely: string[] = []
    const placing: (name: 'link' | 'rename') => typeof localDisk.link = (name) => async (from, to) => {
      if (way === 'rename' && name === 'link') throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
      if (String(to).startsWith(path) && String(to).endsWith('.csv') && !existsSync(`${to}.reason.txt`)) {
        lonely.push(String(to))
      }
      await localDisk[name](from, to)
    }
    bench.start(SHORT, { disk: { ...localDisk, link: placing('link'), rename: placing('rename') } })
    drop(bench, 'a.csv')
    await until(() => bench.occurrences().some(({ open }) => !open))
    const names = bench.names('failed')
    expect(names).toEqual([expect.stringMatching(/^a.*\.csv$/), `${names[0]}.reason.txt`])
    expect(bench.read(`failed/${names[1]}`)).toContain(`File: ${names[0]}`)
    expect(lonely).toEqual([])
  })

  test('stays under way until its run ends, in whichever process', async () => {
    const bench = watching()
    bench.ending = undefined
    const watcher = bench.start(SHORT)
    drop(bench, 'a.csv')
    const isUnderWay = [{ ...DROP, waiting: 0, underWay: 1 }]
    await expect.poll(watcher.status).toMatchObject(isUnderWay)
    await quiet()
    expect(watcher.status()).toMatchObject(isUnderWay)
    bench.occurrenceStore.end('run-1', 'cancelled')
    await until(() => bench.names('failed').length === 2)
    expect(bench.read('failed/a.csv.reason.txt')).toContain('its run run-1 was cancelled')
  })

  test('while nothing ran is found at the start', async () => {
    const bench = watching()
    for (const name of ['a.csv', 'b.csv']) drop(bench, name)
    bench.start(SHORT)
    await until(() => bench.names('done').length === 2)
    expect(bench.runs).toHaveLength(2)
  })

  test('is told of in the log, with its run or why it has none', async () => {
    const bench = watching()
    bench.start(SHORT)
    for (const [name, content] of [
      ['a.csv', 'a@example.com\n'],
      ['empty.csv', ''],
    ] as const)
      drop(bench, name, content)
    await until(() => bench.occurrences().length === 2 && bench.occurrences().every(({ open }) => !open))
    const messages = bench.logged.map(({ message }) => String(message))
    expect(messages.filter((message) => message.includes(' took ')).sort()).toEqual([
      'drops/drop took the file a.csv for the run run-1',
      'drops/drop took the file empty.csv; it has no run: it is empty',
    ])
    const moved = `drops/drop moved the file a.csv to ${join(bench.folder, 'done', 'a.csv')}`
    expect(messages).toContain(moved)
  })

  test('is not taken while it grows', async () => {
    const bench = watching()
    const { now, ...clock } = depsOf(bench).clock
    // While the file grows, time passes only when something is added to it, not by itself.
    let grownAt: number | undefined = 0
    bench.start('settle: 8s', { clock: { ...clock, now: () => grownAt ?? now() } })
    const path = drop(bench, 'a.csv', 'row 0\n')
    for (let row = 1; row < 10; row++) {
      await systemClock.sleep(60)
      appendFileSync(path, `row ${row}\n`)
      expect(bench.runs).toEqual([])
      grownAt += 3000
    }
    grownAt = undefined
    await until(() => bench.names('done').length === 1)
    expect(bench.runs.map(({ content }) => content.split('\n').length)).toEqual([11])
  })

  test('is taken as soon as ever where the clock is set forward by a day while its folder is looked at', async () => {
    const bench = watching()
    const { now, ...clock } = depsOf(bench).clock
    let stepMs = 0
    const checkFile = () => {
      stepMs = DAY_MS
    }
    bench.start(SHORT, { clock: { ...clock, now: () => now() + stepMs }, checkFile })
    await until(() => stepMs > 0)
    drop(bench, 'a.csv')
    await until(() => bench.names('done').length === 1)
  })

  test('is taken at once when its marker lies beside it, and the marker goes', async () => {
    const bench = watching()
    bench.start('settle: 7d')
    drop(bench, 'a.csv')
    drop(bench, 'b.csv')
    await quiet()
    expect(bench.runs).toEqual([])
    drop(bench, 'a.csv.done', '')
    await until(() => bench.names('done').length === 1)
    expect(bench.names('inbox')).toEqual(['b.csv'])
  })

  test('waits where its marker is older than it is: that is of a file before', async () => {
    const bench = watching()
    const marker = drop(bench, 'a.csv.done', '')
    utimesSync(marker, 1000, 1000)
    drop(bench, 'a.csv')
    bench.start('settle: 7d')
    await quiet()
    expect(bench.runs).toEqual([])
  })

  test('that is replaced while its run goes on is another file', async () => {
    const bench = watching()
    bench.ending = undefined
    bench.start(SHORT)
    drop(bench, 'a.csv', 'one\n')
    await until(() => bench.runs.length === 1)
    drop(bench, 'a.csv', 'two\n')
    await until(() => bench.runs.length === 2)
    expect(bench.runs.map(({ firing }) => readFileSync(String(firing.values.file), 'utf8'))).toEqual(['one\n', 'two\n'])
    for (const { runId } of bench.runs) bench.occurrenceStore.end(runId, 'succeeded')
    await until(() => bench.names('done').length === 2)
    expect(
      bench
        .names('done')
        .map((name) => bench.read(`done/${name}`))
        .sort(),
    ).toEqual(['one\n', 'two\n'])
  })

  test('overwrites nothing in `done`', async () => {
    const bench = watching()
    mkdirSync(join(bench.folder, 'done'))
    writeFileSync(join(bench.folder, 'done', 'a.csv'), 'of yesterday')
    bench.start(SHORT)
    drop(bench, 'a.csv', 'of today')
    await until(() => bench.names('done').length === 2)
    expect(bench.names('done')).toEqual([expect.stringMatching(/^a\.\d+-\w+\.csv$/), 'a.csv'])
    expect(bench.read('done/a.csv')).toBe('of yesterday')
  })

  test('waits while the trigger is paused', async () => {
    const bench = watching()
    await bench.occurrenceStore.pause(DROP, 0)
    bench.start(SHORT)
    drop(bench, 'a.csv')
    await quiet()
    expect(bench.names('inbox')).toEqual(['a.csv'])
    await bench.occurrenceStore.unpause(DROP)
    await until(() => bench.names('done').length === 1)
  })
})

describe('the same content', () => {
  test('is one run; the second file says which', async () => {
    const bench = watching()
    bench.start(SHORT)
    drop(bench, 'a.csv', 'same')
    await until(() => bench.names('done').length === 1)
    drop(bench, 'b.csv', 'same')
    await until(() => bench.names('done').includes('b.csv'))
    expect(bench.names('done')).toEqual(['a.csv', 'b.csv', 'b.csv.note.txt'])
    expect(bench.read('done/b.csv.note.txt')).toContain('the run of that file is run-1')
    expect(bench.runs).toHaveLength(1)
    expect(bench.occurrences()[0]).toMatchObject({
      state: 'skipped',
      reason: 'duplicate',
      runId: 'run-1',
      detail: { sameAs: expect.any(String) },
    })
  })

  test('in many files at once is one run, and all of them share its end', async () => {
    const bench = watching()
    bench.ending = undefined
    for (let number = 0; number < 20; number++) drop(bench, `${number}.csv`, 'same')
    bench.start(SHORT)
    await until(() => bench.occurrences().length === 20)
    expect(bench.runs).toHaveLength(1)
    bench.occurrenceStore.end('run-1', 'failed')
    await until(() => bench.names('failed').length === 40)
    expect(bench.names('inbox')).toEqual([])
  })

  test('has another run where the one before failed', async () => {
    const bench = watching()
    bench.ending = ({ key }) => (key.endsWith('#3') ? 'succeeded' : 'failed')
    bench.start(SHORT)
    for (const times of [1, 2, 3]) {
      drop(bench, `a${times}.csv`, 'same')
      await until(() => bench.occurrences().filter(({ open }) => !open).length === times)
    }
    const [{ key = '' } = {}] = bench.runs.map(({ firing }) => firing)
    expect(bench.runs.map(({ firing }) => firing.key)).toEqual([key, `${key}#2`, `${key}#3`])
    drop(bench, 'a4.csv', 'same')
    await until(() => bench.names('done').includes('a4.csv.note.txt'))
    expect(bench.runs).toHaveLength(3)
  })

  test('has a run each time with `repeat`', async () => {
    const bench = watching()
    bench.start(`${SHORT}, repeat: true`)
    for (const times of [1, 2, 3, 4, 5]) {
      drop(bench, 'a.csv', 'same')
      await until(() => bench.names('done').length === times)
    }
    expect(new Set(bench.runs.map(({ firing }) => firing.key)).size).toBe(5)
  })
})

describe('what is not a file to take', () => {
  test.each<[string, (bench: Watching) => void]>([
    ['a file of another pattern', (bench) => drop(bench, 'a.csv.tmp')],
    ['a hidden file', (bench) => drop(bench, '.a.csv')],
    ['a marker', (bench) => drop(bench, 'a.csv.done')],
    ['a reason file', (bench) => drop(bench, 'a.csv.reason.txt')],
    ['a folder, and what is in it', (bench) => nest(bench)],
    ['a link', (bench) => symlinkSync(join(bench.folder, 'elsewhere.csv'), join(bench.inbox, 'link.csv'))],
    ['a pipe', (bench) => execFileSync('sh', ['-c', 'mkfifo pipe.csv'], { cwd: bench.inbox })],
  ])('%s stays where it is', async (_what, make) => {
    const bench = watching()
    writeFileSync(join(bench.folder, 'elsewhere.csv'), 'a@example.com\n')
    make(bench)
    drop(bench, 'taken.csv')
    bench.start(`${SHORT}, pattern: "*.{csv,done,txt}"`)
    await until(() => bench.names('done').length === 1)
    await quiet()
    expect(bench.runs).toHaveLength(1)
    expect(readdirSync(bench.inbox).filter((name) => name !== '.taken')).toHaveLength(1)
  })
})

describe('the check before a run', () => {
  test.each<[string, string, string, string]>([
    ['an empty file', '', '', 'it is empty'],
    ['blanks alone', ' \n\r\n', '', 'it has only blank lines'],
    [
      'a file that is too large',
      '12345678901',
      'precheck: { maxBytes: 10 }',
      'it has 11 bytes; at most 10 are allowed',
    ],
    ['text that is not UTF-8', 'ä\n', 'LATIN', 'it is not UTF-8 text: line 1'],
    [
      'too few rows of the signal',
      'email\na@b.c\nno\n"x@y.z",1\n\nneither\n',
      'precheck: { signal: EMAIL, minimumShare: 0.6 }',
      '2 of its 4 rows (50 %) begin with a key of the signal EMAIL, but at least 60 % must; the others: lines 3, 6',
    ],
    ['a header alone', 'email,name\n', 'precheck: { signal: EMAIL }', 'it has a header and no rows'],
  ])('%s goes to `failed` without a run', async (_what, content, keys, reason) => {
    const bench = watching()
    bench.start([SHORT, ...(keys.startsWith('pre') ? [keys] : [])].join(', '))
    writeFileSync(join(bench.inbox, 'a.csv'), content, keys === 'LATIN' ? 'latin1' : 'utf8')
    await until(() => bench.names('failed').length === 2)
    expect(bench.read('failed/a.csv.reason.txt')).toContain(`it got no run: ${reason}\n`)
    expect(bench.runs).toEqual([])
    expect(bench.occurrences()).toMatchObject([{ state: 'failed', reason }])
  })

  test('rows that fit are enough', async () => {
    const bench = watching()
    bench.start(`${SHORT}, precheck: { signal: EMAIL, minimumShare: 0.6 }`)
    drop(bench, 'a.csv', `A@B.c\n${'0'.repeat(64)}\nno\n`)
    await until(() => bench.names('done').length === 1)
  })
})

describe('what the engine answers', () => {
  test.each([
    ['skipped', 'condition', 'done', 'a.csv.note.txt', 'the condition (if) of the trigger does not hold'],
    ['skipped', 'group g is busy with run r', 'failed', 'a.csv.reason.txt', 'group g is busy with run r'],
    ['failed', 'there is no input x', 'failed', 'a.csv.reason.txt', 'there is no input x'],
  ] as const)('%s, %s: the file goes to `%s`', async (state, reason, folder, note, text) => {
    const bench = watching()
    bench.start(SHORT, {
      async fire({ pipeline, trigger, key, at, detail, open }) {
        const ref = { pipeline: pipeline.name, trigger: trigger.id }
        const occurrence = { key, at, state, reason, ...(detail && { detail }), ...(open && { open }) }
        await bench.occurrenceStore.note(ref, { occurrences: [occurrence] })
        return { ...ref, ...occurrence }
      },
    })
    drop(bench, 'a.csv')
    await until(() => bench.names(folder).length === 2)
    expect(bench.read(`${folder}/${note}`)).toContain(text)
  })

  test('nothing, because the state cannot be written: the file is tried again', async () => {
    const bench = watching()
    const { fire } = depsOf(bench)
    let refusals = 3
    bench.start(SHORT, {
      fire: (firing) => (refusals-- > 0 ? Promise.reject(new Error('the disk is full')) : fire(firing)),
    })
    drop(bench, 'a.csv')
    await until(() => bench.names('done').length === 1)
    expect(
      bench.logged.filter(({ message }) => message === 'a file cannot be processed yet; this will be retried'),
    ).toHaveLength(1)
    expect(bench.runs).toHaveLength(1)
  })
})

describe('trouble', () => {
  test('a renamed file is taken under its new name, a deleted one not at all', async () => {
    const bench = watching()
    bench.start('settle: 4s')
    renameSync(drop(bench, 'a.csv'), join(bench.inbox, 'b.csv'))
    rmSync(drop(bench, 'c.csv'))
    await until(() => bench.names('done').length === 1)
    await quiet()
    expect(bench.names('done')).toEqual(['b.csv'])
    expect(bench.occurrences()).toHaveLength(1)
  })

  test('a file that cannot be taken is told of once, does not hold up the others, and is taken when it can be', async () => {
    const bench = watching()
    let isLocked = true
    bench.start(SHORT, {
      disk: {
        ...localDisk,
        rename: async (from, to) => {
          if (isLocked && isInInbox(from, 'a.csv')) throw new Error('EPERM: operation not permitted')
          await rename(from, to)
        },
      },
    })
    drop(bench, 'a.csv')
    // Each of these files causes another look at the folder.
    for (const [index, name] of ['b.csv', 'c.csv', 'd.csv'].entries()) {
      drop(bench, name)
      await until(() => bench.names('done').length === index + 1)
    }
    isLocked = false
    await until(() => bench.names('done').length === 4)
    expect(bench.logged.filter(({ message }) => /cannot be taken/.test(String(message)))).toHaveLength(1)
  })

  test.each(['EACCES', 'EPERM'])('a file that this process may not read (%s) goes to `failed`', async (code) => {
    const bench = watching()
    bench.start(SHORT, {
      disk: {
        ...localDisk,
        open: async (path, ...how) => {
          if (!String(path).endsWith('.csv')) return localDisk.open(path, ...how)
          throw Object.assign(new Error(`${code}: permission denied`), { code })
        },
      },
    })
    drop(bench, 'a.csv')
    await until(() => bench.names('failed').length === 2)
    expect(bench.read('failed/a.csv.reason.txt')).toContain('this process may not read it')
  })

  test('`done` on another file system: the file is copied whole', async () => {
    const bench = watching()
    bench.start(SHORT, {
      disk: {
        ...localDisk,
        link: async (from, to) => {
          const crosses = !String(from).endsWith('.part')
          if (crosses) throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' })
          return localDisk.link(from, to)
        },
      },
    })
    drop(bench, 'a.csv', 'content\n')
    await until(() => bench.names('done').length === 1 && bench.occurrences().every(({ open }) => !open))
    expect(bench.read('done/a.csv')).toBe('content\n')
    expect(readdirSync(join(bench.folder, 'done'))).toEqual(['a.csv'])
  })

  test('`done` on a file system without links: the same, and nothing is overwritten', async () => {
    const bench = watching()
    bench.start(SHORT, {
      disk: {
        ...localDisk,
        link: async () => {
          throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
        },
      },
    })
    drop(bench, 'a.csv', 'one\n')
    await until(() => bench.names('done').length === 1)
    drop(bench, 'a.csv', 'two\n')
    await until(() => bench.names('done').length === 2 && bench.occurrences().every(({ open }) => !open))
    expect(
      bench
        .names('done')
        .map((name) => bench.read(`done/${name}`))
        .sort(),
    ).toEqual(['one\n', 'two\n'])
  })

  test('a folder that is not there is made, and one that is replaced is watched on', async () => {
    const bench = watching()
    rmSync(bench.inbox, { recursive: true })
    bench.start(SHORT)
    await until(() => bench.logged.some(({ message }) => /made the folder .* to watch it/.test(String(message))))
    drop(bench, 'a.csv')
    await until(() => bench.names('done').length === 1)
    rmSync(bench.inbox, { recursive: true })
    mkdirSync(bench.inbox)
    drop(bench, 'b.csv')
    await until(() => bench.names('done').length === 2)
  })

  test('a file whose folder is away when its run ends is moved once the folder is back', async () => {
    const bench = watching()
    bench.ending = () => undefined
    bench.start(SHORT)
    drop(bench, 'a.csv')
    await until(() => bench.runs.length === 1)
    renameSync(bench.inbox, `${bench.inbox}.away`)
    bench.occurrenceStore.end('run-1', 'succeeded')
    await until(() => bench.logged.some(({ message }) => String(message).startsWith('a file cannot be moved')))
    expect(bench.names('done')).toEqual([])
    rmSync(bench.inbox, { recursive: true, force: true })
    renameSync(`${bench.inbox}.away`, bench.inbox)
    await until(() => bench.names('done').length === 1)
    await until(() => bench.occurrences().every(({ open }) => !open))
    expect(bench.runs).toHaveLength(1)
  })

  test('events are asked for once a folder is there, also where it had to be made', async () => {
    const added: string[] = []
    const watchFolders = () => ({
      add: (folder: string) => void added.push(existsSync(folder) ? folder : `not there: ${folder}`),
      remove: () => undefined,
      close: async () => undefined,
    })
    const there = watching()
    there.start(SHORT, { watchFolders })
    const missing = watching()
    rmSync(missing.inbox, { recursive: true })
    missing.start(SHORT, { watchFolders })
    await until(() => added.length === 2)
    await quiet()
    expect(added).toEqual([there.inbox, missing.inbox])
  })

  test('an event is enough: the file is found without a regular look', async () => {
    const bench = watching()
    const { clock } = depsOf(bench)
    let changed: (folder: string) => void = () => undefined
    bench.start(SHORT, {
      // The regular looks come every second.
      clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms === 1000 ? 2 ** 30 : ms, signal) },
      watchFolders: (listener) => {
        changed = listener.changed
        return { add: () => undefined, remove: () => undefined, close: async () => undefined }
      },
    })
    await quiet()
    drop(bench, 'a.csv')
    changed(bench.inbox)
    await until(() => bench.runs.length === 1)
  })

  test('without events the regular look finds files, and the system’s refusal is told once', async () => {
    const bench = watching()
    bench.start(SHORT, {
      watchFolders: (listener) => ({
        add: () => {
          for (const _time of [1, 2]) listener.failed(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
        },
        remove: () => undefined,
        close: async () => undefined,
      }),
    })
    await quiet()
    drop(bench, 'a.csv')
    await until(() => bench.names('done').length === 1)
    const told = bench.logged.filter(({ message }) => /max_user_watches/.test(String(message)))
    expect(told).toHaveLength(1)
  })
})

describe('a link that leads out of the folders of the policy while it is watched', () => {
  const isOutside = 'is outside policy.fileRoots of audience.yaml'
  function guarded() {
    const bench = watching()
    const outside = tempFolder()
    const swap = (name: string) => {
      if (existsSync(join(bench.folder, name))) renameSync(join(bench.folder, name), join(bench.folder, `${name}.mine`))
      symlinkSync(outside, join(bench.folder, name))
    }
    const unswap = (name: string) => {
      rmSync(join(bench.folder, name))
      mkdirSync(join(bench.folder, name), { recursive: true })
    }
    const start = () => bench.start(SHORT, { checkFile: fileCheck({ fileRoots: [bench.folder], ownEnv: [] }) })
    return { bench, outside, swap, unswap, start }
  }

  test.each(['inbox', 'inbox/.taken'])('has nothing taken from it or put into it: %s', async (name) => {
    const { bench, outside, swap, unswap, start } = guarded()
    const watcher = start()
    drop(bench, 'a.csv')
    await until(() => bench.names('done').length === 1)
    swap(name)
    writeFileSync(join(name === 'inbox' ? outside : bench.inbox, 'b.csv'), 'key\nb@example.com\n')
    await until(() => watcher.status()[0]?.problem !== undefined)
    await quiet()
    expect(watcher.status()).toMatchObject([{ problem: expect.stringContaining(`(${outside}`) }])
    expect(folderTrouble(watcher.status())).toContain(isOutside)
    expect(bench.logged).toContainEqual(expect.objectContaining({ error: expect.stringContaining(isOutside) }))
    expect(readdirSync(outside)).toEqual(name === 'inbox' ? ['b.csv'] : [])
    expect(bench.runs).toHaveLength(1)
    unswap(name)
    if (name === 'inbox') drop(bench, 'b.csv')
    await until(() => bench.names('done').length === 2)
    expect(watcher.status()[0]?.problem).toBeUndefined()
  })

  test.each(['done', 'failed'] as const)('has nothing moved into it: %s', async (name) => {
    const { bench, outside, swap, unswap, start } = guarded()
    bench.ending = () => (name === 'done' ? 'succeeded' : 'failed')
    const watcher = start()
    swap(name)
    drop(bench, 'a.csv')
    await until(() => watcher.status()[0]?.stuck === 1)
    expect(readdirSync(outside)).toEqual([])
    expect(bench.logged).toContainEqual(
      expect.objectContaining({
        message: 'a file cannot be moved; this will be retried',
        error: `${join(bench.folder, name)} (${outside}) ${isOutside}`,
      }),
    )
    unswap(name)
    await until(() => bench.names(name).includes('a.csv'))
    expect(readdirSync(outside)).toEqual([])
  })
})

describe('a change of documents', () => {
  test('a trigger that is gone takes nothing more; what is under way is filed', async () => {
    const bench = watching()
    bench.ending = undefined
    const watcher = bench.start(SHORT)
    drop(bench, 'a.csv')
    await until(() => bench.runs.length === 1)
    watcher.replace([])
    drop(bench, 'b.csv')
    bench.occurrenceStore.end('run-1', 'succeeded')
    await until(() => bench.names('done').length === 1)
    await quiet()
    expect(bench.names('inbox')).toEqual(['b.csv'])
    expect(watcher.status()).toEqual([])
  })

  test('what a process before took for a trigger that is gone is filed, too', async () => {
    const bench = watching()
    bench.ending = undefined
    const before = bench.start(SHORT)
    drop(bench, 'a.csv')
    await until(() => bench.runs.length === 1)
    await before.stop()
    const deps = depsOf(bench)
    // It searches after a minute.
    const sleep: typeof deps.clock.sleep = (ms, signal) => deps.clock.sleep(ms / 100, signal)
    const watcher = startWatcher({ ...deps, clock: { ...deps.clock, sleep } })
    onTestFinished(() => watcher.stop())
    bench.occurrenceStore.end('run-1', 'succeeded')
    await until(() => bench.names('done').length === 1)
  })

  test('the events of a folder come as long as one trigger watches it', async () => {
    const bench = watching()
    const [added, removed]: [string[], string[]] = [[], []]
    let changed: (folder: string) => void = () => undefined
    const watcher = bench.start('settle: 7d', {
      watchFolders: (listener) => {
        changed = listener.changed
        return {
          add: (folder) => void added.push(folder),
          remove: (folder) => void removed.push(folder),
          close: async () => undefined,
        }
      },
    })
    const one = bench.watch('settle: 7d')
    const other = { ...one, trigger: { ...one.trigger, id: 'other', pattern: 'b*' } }
    watcher.replace([one, other])
    await until(() => added.length > 0)
    watcher.replace([other])
    expect(removed.slice(added.length)).toEqual([])
    await until(() => watcher.status().length === 1)
    drop(bench, 'b.csv')
    changed(bench.inbox)
    await until(() => watcher.status()[0]?.waiting === 1)
    const before = removed.length
    watcher.replace([])
    expect(removed.slice(before)).toEqual([bench.inbox])
  })

  test('another settle time and other folders hold for the files that come then', async () => {
    const bench = watching()
    const watcher = bench.start('settle: 7d')
    drop(bench, 'a.csv')
    await quiet()
    expect(bench.runs).toEqual([])
    watcher.replace([bench.watch(SHORT)])
    await until(() => bench.names('done').length === 1)
  })
})

test('a file that cannot be read nor linked is moved all the same, under a name of its own', async () => {
  const bench = watching()
  const refuse = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }))
  const open: typeof localDisk.open = async (path, ...how) =>
    String(path).endsWith('.csv') ? refuse('EACCES')() : localDisk.open(path, ...how)
  const disk = { ...localDisk, open, copyFile: refuse('EACCES'), link: refuse('EPERM') }
  bench.start(SHORT, { disk })
  drop(bench, 'a.csv', 'x')
  await until(() => bench.names('failed').length === 2)
  expect(bench.names('failed')).toEqual([
    expect.stringMatching(/^a\..+\.csv$/),
    expect.stringMatching(/^a\..+\.csv\.reason\.txt$/),
  ])
})

test('what keeps files from being taken or put away is told', async () => {
  const bench = watching()
  const refused = new Set<string>()
  const refusing =
    (name: 'readdir' | 'link') =>
    async (...given: unknown[]) => {
      if (refused.has(name)) throw Object.assign(new Error(`EIO: ${name}`), { code: 'EIO' })
      return (localDisk[name] as (...given: unknown[]) => Promise<unknown>)(...given)
    }
  const disk = { ...localDisk, readdir: refusing('readdir'), link: refusing('link') } as typeof localDisk
  const watcher = bench.start(SHORT, { disk })
  const trouble = () => folderTrouble(watcher.status())
  refused.add('link')
  drop(bench, 'a.csv')
  await until(() => trouble() === `${bench.inbox}: 1 file cannot be moved to done or failed: EIO: link`)
  refused.delete('link')
  // The file is at its place a moment before the record.
  await until(() => bench.names('done').length === 1 && trouble() === undefined)
  refused.add('readdir')
  drop(bench, 'b.csv')
  await until(() => trouble() === `${bench.inbox}: EIO: readdir`)
})

test('1,200 files at once are each one run, with no more than 1,000 under way', async () => {
  const bench = watching()
  // A run continues until the test ends it.
  bench.ending = undefined
  for (let number = 0; number < 1200; number++) drop(bench, `${number}.csv`, `${number}@example.com\n`)
  const watcher = bench.start(SHORT)
  await until(() => bench.runs.length >= 1000 && watcher.status()[0]?.waiting === 200)
  await quiet()
  expect(watcher.status()).toMatchObject([{ underWay: 1000 }])
  expect(bench.runs).toHaveLength(1000)
  bench.ending = () => 'succeeded'
  for (const { runId } of [...bench.runs]) bench.occurrenceStore.end(runId, 'succeeded')
  await until(() => bench.names('done').length === 1200, 'the end of all runs', 600_000)
  expect(bench.runs).toHaveLength(1200)
  expect(new Set(bench.runs.map(({ content }) => content)).size).toBe(1200)
})
