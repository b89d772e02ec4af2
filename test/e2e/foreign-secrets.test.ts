import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scriptedServer } from '../adapter/scripted-server.ts'
import { spawnAudience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, stateRows, until } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * One document has ordinary words as secrets, and the token of the service is a word, too. Another document contains
 * these words. A run must send the same requests whether its process is killed or not.
 */

const KEY = 'c4n4ry-of-the-night'
const ENV = { TOKEN: 'autumn', SEASON: 'summer', LETTERS: 'segments', KEY }

const OUTER = `version: 1
name: outer
env: [SEASON, LETTERS]
steps:
  - id: inner
    uses: pipelines.run
    with: { file: inner.yaml }
`
const INNER = `version: 1
name: inner
env: [KEY]
inputs: { name: { type: string, default: Late Summer } }
variables: { title: "\${{ inputs.name }} and autumn" }
steps:
  - { id: before, uses: segments.list, with: { participantSegmentId: "a summer" } }
  - { id: ask, uses: approval.wait, with: { message: May it go? } }
  - id: after
    uses: segments.list
    with:
      participantSegmentId: "summer, \${{ variables.title }}, \${{ env.KEY }}, \${{ steps.before.outputs.segments[0].segmentName }}"
`

/** The requests of the runs to the service, and the files of the state. */
async function live({ isKilled }: { readonly isKilled: boolean }) {
  const server = await scriptedServer(() => ({
    json: {
      segments: [{ id: 1, participantSegmentId: 'a summer', segmentName: `SUMMER segments of autumn, ${KEY}` }],
      ...{ page: 0, pageSize: 10, hasMore: false },
    },
  }))
  onTestFinished(() => server[Symbol.asyncDispose]())
  const project = projectIn(tempFolder(), ENV)
  const { folder, options } = project
  const profile = `{ baseUrl: "${server.url}", tokenEnv: TOKEN }`
  writeFileSync(join(folder, 'audience.yaml'), `profile: here\nprofiles: { here: ${profile} }\n`)
  writeFileSync(join(folder, 'outer.yaml'), OUTER)
  writeFileSync(join(folder, 'inner.yaml'), INNER)
  const command = (...args: string[]) => commandLine(args, { cwd: folder, env: options.env })
  const rowOf = (name: string) => stateRows(project, 'SELECT run_id, status FROM runs WHERE pipeline = ?', name)[0]

  const runner = spawnAudience(['run', 'outer.yaml'], options)
  onTestFinished(() => kill(runner).then(() => undefined))
  await until(() => rowOf('inner')?.status === 'waiting' || runner.exitCode !== null)
  if (isKilled) await kill(runner)
  expect(await command('runs', 'approve', String(rowOf('inner')?.run_id), 'ask')).toMatchObject({ code: 0 })
  const ended = isKilled ? await command('runs', 'resume', String(rowOf('outer')?.run_id)) : await runner.ended
  expect(ended).toMatchObject({ code: 0 })

  expect(ended.out + ended.err).not.toContain('summer')
  const files = readdirSync(join(folder, 'state'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, 'state', name))
    .filter((file) => statSync(file).isFile())
  return { asked: server.seen.map(({ method, url, body }) => ({ method, url, body })), files }
}

test('a run that is killed sends what it would have sent, whatever the secrets of other documents are', async () => {
  const [whole, killed] = [await live({ isKilled: false }), await live({ isKilled: true })]
  const said = `summer, Late Summer and autumn, ${KEY}, SUMMER segments of autumn, ${KEY}`
  expect(new URL(whole.asked.at(-1)!.url, 'http://a').searchParams.get('participantSegmentId')).toBe(said)
  expect(killed.asked).toEqual(whole.asked)
  for (const file of [...whole.files, ...killed.files])
    expect(readFileSync(file, 'latin1'), file).not.toContain('c4n4ry')
})
