import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { openLocalService } from '../../src/service/local/open-local-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a folder that cannot be made is named, with what to do', async () => {
  const file = join(tempFolder(), 'state')
  writeFileSync(file, '')
  await expect(openLocalService(join(file, 'service'), () => Promise.reject(), systemClock)).rejects.toMatchObject({
    code: 'service-folder',
    message: expect.stringContaining(join(file, 'service')),
  })
})
