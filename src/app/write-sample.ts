import { makeFolder } from '../platform/make-folder.ts'
import { createMatchEngine } from '../service/matching/match-engine.ts'
import { defaultNetwork } from '../service/network/default-network.ts'
import type { SampleRequest } from '../service/population/sample.ts'
import { embeddedData } from './open-embedded-service.ts'

/**
 * Writes keys from the population of an embedded service. The data of that service are in `folder`. The service need
 * not be running.
 */
export async function writeSample(folder: string, request: SampleRequest): Promise<void> {
  makeFolder(folder)
  const engine = createMatchEngine({ dataDir: embeddedData(folder), network: defaultNetwork })
  try {
    await engine.prepare()
    await engine.sample(request)
  } finally {
    await engine.close()
  }
}
