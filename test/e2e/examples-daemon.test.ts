import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isDocumentName } from '../../src/daemon/documents/find-pipeline-files.ts'
import { eventsOf, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { folder as examples } from './support/example-bench.ts'

test('audience start runs the examples: for a slot of their schedule, and for every file that is dropped', async () => {
  const cwd = tempFolder()
  const inbox = join(cwd, 'pipelines/inbox')
  cpSync(examples, join(cwd, 'pipelines'), { recursive: true, filter: (path) => !path.endsWith('inbox') })
  const said = async (...args: string[]) => {
    const { code, out, err } = await commandLine(args, { cwd })
    expect(code, err).toBe(0)
    return eventsOf(out)
  }
  const night = ['auto-intenders-nightly/nightly', '--from', '2026-01-05T00:00Z', '--to', '2026-01-06T00:00Z']
  expect(await commandLine(['schedule', 'backfill', ...night], { cwd })).toMatchObject({ code: 0 })
  const pipelines = readdirSync(examples).filter(isDocumentName).length
  const daemon = startAudience(['start', '--port', '0', '--no-console', '--json', '--log-level', 'error'], { cwd })
  expect(eventsOf(await untilOutput(daemon, /\n/))[0]).toMatchObject({ event: 'daemon.ready', pipelines })

  const untilThere = (file: string) => expect.poll(() => existsSync(join(inbox, file))).toBe(true)
  const drop = (file: string, text: string | Buffer) => writeFileSync(join(inbox, file), text)
  await untilThere('auto')
  drop('spring-list.csv', readFileSync(join(examples, 'data/travel-planners.csv')))
  drop('numbers.csv', 'email\n17\nsomebody@example.com\n')
  drop('auto/urgent.csv', readFileSync(join(examples, 'data/auto-intenders.csv')))

  await untilThere('failed/numbers.csv')
  expect(readFileSync(join(inbox, 'failed/numbers.csv.reason.txt'), 'utf8')).toContain('the others: line 2')
  const succeeded = async (pipeline: string) =>
    said('runs', 'list', '--pipeline', pipeline, '--status', 'succeeded', '--json')
  await expect.poll(() => succeeded('auto-intenders-nightly'), { interval: 300 }).toHaveLength(2)
  await untilThere('done/spring-list.csv')
  await untilThere('done/urgent.csv')
  expect(readdirSync(inbox).sort()).toEqual(['.taken', 'auto', 'done', 'failed', 'guarded'])

  expect((await said('runs', 'list', '--json')).length).toBe(3)
  const slots = await said('schedule', 'list', 'auto-intenders-nightly/nightly', '--json')
  expect(slots).toMatchObject([{ local: expect.stringContaining('2026-01-05'), state: 'ran' }])
  const [next] = await said('schedule', 'next', 'auto-intenders-nightly', '-n', '1', '--json')
  expect(next).toMatchObject({
    trigger: 'nightly',
    timezone: 'America/New_York',
    local: expect.stringContaining('02:00'),
  })
  const segments = await said('api', 'segments.list', '--all')
  expect(segments.map(({ segmentName }) => segmentName).sort()).toEqual(['Auto intenders', 'spring-list'])

  daemon.kill('SIGTERM')
  expect(await daemon.ended).toMatchObject({ code: 0 })
})
