import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileCheck } from '../../src/policy/enforce.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a run may open what the listed folders have, and no other file', () => {
  const folder = tempFolder()
  const check = fileCheck({ ownEnv: [], fileRoots: [join(folder, 'lists')], copies: join(folder, 'copies') })
  check(join(folder, 'lists', 'a.csv'))
  check(join(folder, 'copies', 'a.csv'))
  for (const path of [join(folder, 'a.csv'), join(folder, 'lists', '..', 'a.csv')])
    expect(() => check(path)).toThrow(expect.objectContaining({ code: 'file-not-allowed', kind: 'invalid' }))
})

test('without listed folders a run may open any file: that it is outside the project is a warning before', () => {
  const project = tempFolder()
  expect(() => fileCheck({ ownEnv: [], project })(join(tempFolder(), 'a.csv'))).not.toThrow()
})
