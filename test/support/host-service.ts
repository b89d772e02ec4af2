import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openEmbeddedService } from '../../src/app/open-embedded-service.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { ReadyService } from './audience.ts'
import { givePeople } from './people.ts'

/**
 * The service of a state, in this process. A separate process (`spawnService`) needs several times the processor time.
 * Use one only if the test kills it.
 */
export async function hostService(
  state: string,
  port?: number,
): Promise<{ readonly service: ReadyService; readonly stop: () => Promise<void> }> {
  await givePeople(state)
  const hosted = await openEmbeddedService({
    ...{ folder: join(state, 'service'), log: pino({ level: 'silent' }), clock: systemClock },
    ...(port !== undefined && { port }),
  })
  return { service: hosted.endpoint, stop: hosted.close }
}

/** The same, but it ends with the test. */
export async function startService(state: string): Promise<ReadyService> {
  const { service, stop } = await hostService(state)
  onTestFinished(stop)
  return service
}

/** One service for all tests of a file, with its own folder. Tests call the result. */
export function serviceOfFile(): () => ReadyService {
  let folder: string
  let hosted: Awaited<ReturnType<typeof hostService>>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'audience-service-'))
    hosted = await hostService(folder)
  })
  afterAll(async () => {
    await hosted.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => hosted.service
}
