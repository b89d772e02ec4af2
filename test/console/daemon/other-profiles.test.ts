import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startConsoleBench } from '../support/console-bench.ts'

const ELSEWHERE = `version: 1
name: elsewhere
triggers:
  - { id: here, schedule: { cron: "0 3 * * *", timezone: UTC } }
  - { id: night, profiles: [production, staging], schedule: { cron: "0 2 * * *", timezone: UTC } }
  - { id: drop, profiles: [production], watch: { path: inbox, pattern: "*.txt", done: done, failed: failed } }
steps:
  - { id: list, uses: groups.list }
`

const CONFIG = `profile: local
profiles:
  production: { baseUrl: "http://127.0.0.1:9/p/1", token: a-token-of-a-service }
  staging: { baseUrl: "http://127.0.0.1:9/p/2", token: a-token-of-a-service }`

test('a trigger of other profiles is on no list of what comes here, and its pipeline says where it starts runs', async () => {
  const everywhere = ELSEWHERE.replaceAll(/profiles: \[.*?\], /g, '')
  const console = await startConsoleBench({ 'elsewhere.yaml': everywhere }, { config: CONFIG })
  onTestFinished(console.stop)
  const show = async (path: string) => (await console.as('viewer', path)).body
  expect((await console.post('operator', 'schedules/elsewhere/night/pause')).status).toBe(200)
  expect((await show('overview')).paused).toMatchObject([{ trigger: 'night' }])
  writeFileSync(join(console.project.folder, 'pipelines/elsewhere.yaml'), ELSEWHERE)
  const others = async () => ((await show('pipelines/elsewhere')).pipeline as { otherTriggers: object[] }).otherTriggers
  await expect.poll(async () => (await others()).length).toBe(2)
  const path = join(console.project.folder, 'pipelines/inbox')
  const { pipeline } = await show('pipelines/elsewhere')
  expect(pipeline).toMatchObject({
    triggers: [{ id: 'here', cron: '0 3 * * *', next: expect.any(String) }],
    otherTriggers: [
      { id: 'night', kind: 'schedule', cron: '0 2 * * *', timezone: 'UTC', profiles: ['production', 'staging'] },
      { id: 'drop', kind: 'watch', path, pattern: '*.txt', profiles: ['production'] },
    ],
  })
  const named = (list: unknown) => (list as { trigger: string }[]).map(({ trigger }) => trigger)
  expect(named((await show('slots')).schedules)).toEqual(['here'])
  expect(named((await show('files')).folders)).toEqual([])
  expect(await show('overview')).toMatchObject({ next: [{ trigger: 'here' }], paused: [] })
})
