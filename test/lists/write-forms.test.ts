import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { decompressWithin } from '../../src/lists/decompress.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { writeForms } from '../../src/lists/write-forms.ts'
import { tempFolder } from '../support/temp-folder.ts'

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')
const HASH = hashOf('cia@x.test')
const sandboxes = new Sandboxes(LIST_LIMITS)

/** The forms of a file's keys, and the figures, while somebody has opted out with each of these keys. */
async function formsOf(text: string, form: Parameters<typeof writeForms>[1], optedOut: readonly string[] = []) {
  const folder = tempFolder()
  const [file, target] = [join(folder, 'asked.csv'), join(folder, 'forms.csv')]
  writeFileSync(file, text)
  const suppress = optedOut.map((key, at) => {
    writeFileSync(join(folder, `out-${at}.csv`), `${key}\n`)
    return join(folder, `out-${at}.csv`)
  })
  const work = { folder, sandboxes, decompress: decompressWithin(LIST_LIMITS), signal: new AbortController().signal }
  const figures = await writeForms(file, form, { ...work, suppress, target })
  const [header, ...forms] = readFileSync(target, 'utf8').trimEnd().split('\n')
  return { figures, header, forms: forms.sort() }
}

test('a list of clear addresses can hold an address, its hash, and the hash as people write its domain', async () => {
  const { figures, header, forms } = await formsOf(`email\nann@x.test\nAnn@X.test\nbo@xn--bcher-kva.test\n${HASH}\n`, {
    ...{ signal: 'EMAIL', hash: 'none' },
  })
  expect(header).toBe('email')
  expect(forms).toEqual(
    [
      ...['ann@x.test', hashOf('ann@x.test')],
      ...['bo@xn--bcher-kva.test', hashOf('bo@xn--bcher-kva.test'), hashOf('bo@bücher.test')],
      ...[HASH],
    ].sort(),
  )
  expect(figures).toEqual({ keys: 3, notOptedOut: 3, unsearchable: 1 })
})

test('a list of hashes holds hashes only, and every key can be searched in it', async () => {
  const { figures, forms } = await formsOf(`email\nann@x.test\n${HASH}\n`, { signal: 'EMAIL', hash: 'sha256' })
  expect(forms).toEqual([HASH, hashOf('ann@x.test')].sort())
  expect(figures).toEqual({ keys: 2, notOptedOut: 2, unsearchable: 0 })
})

test('ids are kept as they are, whatever they look like', async () => {
  const { figures, forms } = await formsOf(`record_id\n${HASH}\nb\n`, { signal: 'RECORD_ID', hash: 'none' })
  expect(forms).toEqual([HASH, 'b'].sort())
  expect(figures).toEqual({ keys: 2, notOptedOut: 2, unsearchable: 0 })
})

test('people who opted out are counted by what any opt-out list has of them', async () => {
  const asked = 'email\nann@x.test\nbob@x.test\ncia@x.test\n'
  const { figures } = await formsOf(asked, { signal: 'EMAIL', hash: 'none' }, ['ann@x.test', HASH])
  expect(figures).toEqual({ keys: 3, notOptedOut: 1, unsearchable: 0 })
})

test('a file whose column has no key of the signal asks for nobody; a file without that column is refused', async () => {
  const { figures, forms } = await formsOf('email\nnobody\n', { signal: 'EMAIL', hash: 'none' })
  expect([figures, forms]).toEqual([{ keys: 0, notOptedOut: 0, unsearchable: 0 }, []])
  await expect(formsOf('nobody\nann\n', { signal: 'EMAIL', hash: 'none' })).rejects.toMatchObject({
    code: 'opt-outs-unusable',
  })
})
