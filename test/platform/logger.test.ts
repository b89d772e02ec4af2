import { expect, test } from 'vitest'
import { createSecrets } from '../../src/core/secrets.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/logger.ts'

/** The output of a log at a level. */
function written(level: 'debug' | 'warn' | 'silent', use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = []
  const secrets = createSecrets()
  secrets.add('s3cret-token')
  use(
    createLog({ level, secrets, clock: systemClock, destination: { write: (line: string) => void lines.push(line) } }),
  )
  return lines
}

test('no secret reaches the log, wherever it stands', () => {
  const [line = ''] = written('debug', (log) => {
    log.warn(
      { headers: { authorization: 'Bearer s3cret-token' }, err: new Error('with s3cret-token') },
      's3cret-token in a message',
    )
  })
  expect(line).not.toContain('s3cret-token')
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    msg: '*** in a message',
    headers: { authorization: 'Bearer ***' },
  })
})

test('a line is one JSON object with an RFC 3339 time; the level decides what is written', () => {
  const use = (log: ReturnType<typeof createLog>) => {
    log.debug('detail')
    log.error('trouble')
  }
  expect(written('silent', use)).toEqual([])
  const lines = written('warn', use).map((line) => JSON.parse(line) as { time: string; msg: string })
  expect(lines).toMatchObject([{ msg: 'trouble' }])
  expect(new Date(lines[0]!.time).toISOString()).toBe(lines[0]!.time)
})

test('a name with marks is escaped, so it turns no text around where the log is read, and JSON stays JSON', () => {
  const file = 'a\u202evsc.csv\u009b31m\u007f\u{e0041}'
  const [line = ''] = written('debug', (log) => log.info({ file }, `took ${file}`))
  expect(line.trimEnd()).toMatch(/^[\x20-\x7e]*$/)
  expect(JSON.parse(line)).toMatchObject({ file, msg: `took ${file}` })
})
