import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { startService } from '../support/host-service.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { SoakProject } from '../support/soak/soak-project.ts'
import { soakStateAt } from '../support/soak/soak-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The operations of steps on a state. */
const ASKED = ['AND pipeline = $3 AND step = $4', 'INSERT INTO audience.step_memory']

describeWithPostgres('a database that is away for a moment', () => {
  test('when a step asks the state for something fails no run', async () => {
    const folder = tempFolder()
    const service = await startService(join(folder, 'service-state'))
    const url = await newDatabase(onTestFinished)
    const proxy = await cuttingProxy(url, ASKED)
    onTestFinished(() => proxy.close())
    const env = {
      AUDIENCE_BASE_URL: service.url,
      AUDIENCE_TOKEN: service.token,
      AUDIENCE_STATE: proxy.through(url),
    }
    const { options } = new SoakProject({ folder, options: { cwd: folder, env } })
    const audience = async (...args: string[]) => expect(await commandLine(args, options)).toMatchObject({ code: 0 })
    await audience('state', 'migrate')
    await audience('workers', 'share', folder)
    await audience('run', join(folder, 'pipelines/nightly.yaml'), '-i', 'name=nightly')
    expect(proxy.cuts()).toBe(ASKED.length)
    expect(await soakStateAt(url).runs()).toMatchObject([{ status: 'succeeded' }])
  })
})
