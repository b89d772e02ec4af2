import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../support/temp-folder.ts'
import { metricsOf } from './support/metrics-of.ts'

test('each check of /readyz shows whether it is met', async () => {
  const { lines } = metricsOf({ notReady: async () => [{ check: 'state', reason: 'the disk is full' }] })
  expect(await lines('audience_ready')).toEqual([
    'audience_ready{check="state"} 0',
    'audience_ready{check="pipelines"} 1',
    'audience_ready{check="folders"} 1',
    'audience_ready{check="service"} 1',
    'audience_ready{check="runs"} 1',
    'audience_ready{check="optOuts"} 1',
    'audience_ready{check="draining"} 1',
  ])
})

test('a change of the keeper shows at the next scrape', async () => {
  let isKeeper = false
  const { lines } = metricsOf({ isKeeper: () => isKeeper })
  expect(await lines('audience_keeper')).toEqual(['audience_keeper 0'])
  isKeeper = true
  expect(await lines('audience_keeper')).toEqual(['audience_keeper 1'])
})

test('the room on the disk of the state shows, and no figure where its folder is gone', async () => {
  const folder = tempFolder()
  const bytes = async (stateFolder: string) =>
    (await metricsOf({ stateFolder }).lines('audience_state_disk')).map((line) => Number(line.split(' ')[1]))
  const [free = 0, size = 0] = await bytes(folder)
  expect(free).toBeGreaterThan(0)
  expect(size).toBeGreaterThanOrEqual(free)
  expect(await bytes(join(folder, 'gone'))).toEqual([Number.NaN, Number.NaN])
})
