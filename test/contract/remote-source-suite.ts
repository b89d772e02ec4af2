import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { takenPath } from '../../src/core/remote-path.ts'
import { MAX_REMOTE_FILES, type RemoteFile, type RemoteSource } from '../../src/core/remote-source.ts'

/** A place with files that both a test and a source can see. All paths are as in the source; there is a folder `in`. */
export interface RemotePlace {
  /** Another client of the place. */
  open(): RemoteSource
  /**
   * Writes a file as another client would, with this modification time in milliseconds (default: now). Makes the
   * folder.
   */
  put(path: string, content: string | Uint8Array, mtimeMs?: number): Promise<void>
  /** The content of a file; undefined if it does not exist. */
  content(path: string): Promise<string | undefined>
  /** The names in a folder, with hidden ones, sorted. Empty if the folder does not exist. */
  names(folder: string): Promise<readonly string[]>
  /** Quickly makes this many empty files in a folder. */
  fill(folder: string, count: number): Promise<void>
  /** Ends all connections of the place with its clients, as a network failure does; absent if there are none. */
  cut?(): Promise<void>
  remove(): Promise<void>
}

const MEGABYTE = 2 ** 20
/** A time in whole seconds, which every place can store. */
const THEN = Date.UTC(2026, 10, 28, 2)

/** What every remote source promises: see core/remote-source.ts. */
export function remoteSourceSuite(name: string, place: () => Promise<RemotePlace>): void {
  describe(`remote source: ${name}`, () => {
    let where: RemotePlace
    let source: RemoteSource
    const signal = AbortSignal.timeout(600_000)

    beforeEach(async () => {
      where = await place()
      source = where.open()
    })
    afterEach(async () => {
      await source.close()
      await where.remove()
    })
    const list = (isWanted = (_: string) => true) => source.list('in', isWanted, { signal })
    const names = async (isWanted?: (name: string) => boolean) =>
      (await list(isWanted)).files.map(({ path }) => path).sort()
    const found = async (path: string): Promise<RemoteFile> => {
      const file = await source.look(path, { signal })
      if (!file) throw new Error(`there is no ${path}`)
      return file
    }
    const read = async (file: RemoteFile) => {
      const pieces: Uint8Array[] = []
      for await (const piece of source.read(file, { signal })) pieces.push(piece)
      return Buffer.concat(pieces)
    }
    /**
     * The file at the path where this source may change it. If the source takes files, that is the path of the taken
     * file.
     */
    const mine = async (path: string, ticket = '1-abc'): Promise<RemoteFile> => {
      const file = await found(path)
      if (!source.can.take) return file
      const taken = await source.take(file, { ticket, signal })
      if (!taken) throw new Error(`there is no ${path}`)
      return taken
    }
    const move = (file: RemoteFile, as = 'a.csv', ticket = '1-abc') =>
      source.move(file, { folder: 'out/done', name: as, ticket, signal })

    test('says in one line what it is', async () => {
      expect(await source.describe(signal)).toMatch(/^\P{C}+$/u)
    })

    test('lists the wanted files of one folder, with size and time', async () => {
      await where.put('in/a.csv', 'a@example.com\n', THEN)
      await where.put('in/größe 1.csv', '')
      await where.put('in/b.txt', 'b')
      await where.put('in/.hidden.csv', 'b')
      await where.put('in/deeper/c.csv', 'c')
      await where.put('other/d.csv', 'd')
      expect(await names((name) => name.endsWith('.csv'))).toEqual(['in/a.csv', 'in/größe 1.csv'])
      const { files } = await list((name) => name === 'a.csv')
      expect(files).toEqual([expect.objectContaining({ path: 'in/a.csv', size: 14 })])
      expect(files).toEqual([await found('in/a.csv')])
      if (source.can.take) expect(files[0]?.mtimeMs).toBe(THEN)
    })

    test('never asks about hidden names', async () => {
      await where.put('in/.a.csv', 'a')
      await where.put('in/b.csv', 'b')
      const asked: string[] = []
      await list((name) => asked.push(name) > 0)
      expect(asked).toEqual(['b.csv'])
    })

    test('an empty folder has no files', async () => {
      expect(await list()).toEqual({ files: [], unusable: 0 })
    })

    test('10,000 files are listed, and one more is too many', async () => {
      await where.fill('in', MAX_REMOTE_FILES)
      expect((await list()).files.length).toBe(MAX_REMOTE_FILES)
      await where.put('in/zz-one-more.csv', 'a')
      await expect(list()).rejects.toMatchObject({ code: 'source-too-many' })
      expect(await names((name) => name.startsWith('zz'))).toEqual(['in/zz-one-more.csv'])
    })

    test('looks at one file', async () => {
      await where.put('in/a.csv', 'abc', THEN)
      expect(await source.look('in/a.csv', { signal })).toMatchObject({ path: 'in/a.csv', size: 3 })
      expect(await source.look('in/b.csv', { signal })).toBeUndefined()
      expect(await source.look('nowhere/b.csv', { signal })).toBeUndefined()
      expect(await source.look('in', { signal })).toBeUndefined()
    })

    test('another content is another look', async () => {
      await where.put('in/a.csv', 'abc', THEN)
      const before = await found('in/a.csv')
      await where.put('in/a.csv', 'abcd', THEN + 1000)
      expect(await found('in/a.csv')).not.toEqual(before)
    })

    test('reads exactly what a file holds', async () => {
      const content = Buffer.alloc(3 * MEGABYTE + 17, 'a@example.com\nbb@example.com\n')
      await where.put('in/a.csv', content)
      await where.put('in/empty.csv', '')
      const file = await found('in/a.csv')
      expect(Buffer.compare(await read(file), content)).toBe(0)
      expect(await read(await found('in/empty.csv'))).toHaveLength(0)
    })

    test('four files are read at once, and others wait for none of them', async () => {
      const content = Buffer.alloc(MEGABYTE, 'a')
      const paths = ['in/a.csv', 'in/b.csv', 'in/c.csv', 'in/d.csv']
      for (const path of paths) await where.put(path, content)
      const files = await Promise.all(paths.map(found))
      const reads = files.map(async (file) => (await read(file)).length)
      expect(await found('in/a.csv')).toBeDefined()
      expect(await Promise.all(reads)).toEqual(paths.map(() => MEGABYTE))
    })

    test('a file that ends before its size has changed', async () => {
      await where.put('in/a.csv', 'abcdef')
      const file = await found('in/a.csv')
      await where.put('in/a.csv', 'abc')
      await expect(read(file)).rejects.toMatchObject({ code: 'source-file-changed' })
      await expect(read({ ...file, path: 'in/b.csv' })).rejects.toMatchObject({ code: 'source-file-changed' })
    })

    test('a reader may stop in the middle, and the next one is not disturbed', async () => {
      await where.put('in/a.csv', Buffer.alloc(4 * MEGABYTE, 'a'))
      await where.put('in/b.csv', 'abc')
      for await (const piece of source.read(await found('in/a.csv'), { signal })) {
        expect(piece.length).toBeGreaterThan(0)
        break
      }
      expect(String(await read(await found('in/b.csv')))).toBe('abc')
    })

    test('a call whose signal aborts rejects with its reason', async () => {
      await where.put('in/a.csv', Buffer.alloc(4 * MEGABYTE, 'a'))
      const file = await found('in/a.csv')
      const stop = new AbortController()
      const reason = new Error('enough')
      const reading = (async () => {
        for await (const _ of source.read(file, { signal: stop.signal })) stop.abort(reason)
      })()
      await expect(reading).rejects.toBe(reason)
      await expect(source.look('in/a.csv', { signal: stop.signal })).rejects.toBe(reason)
      await expect(source.list('in', () => true, { signal: stop.signal })).rejects.toBe(reason)
      expect(await found('in/a.csv')).toEqual(file)
    })

    test('a file is taken once, however many take it', async () => {
      await where.put('in/a.csv', 'abc', THEN)
      const file = await found('in/a.csv')
      if (!source.can.take) return
      const other = where.open()
      const taken = await Promise.all([
        source.take(file, { ticket: '1-abc', signal }),
        other.take(file, { ticket: '2-def', signal }),
        source.take(file, { ticket: '3-ghi', signal }),
      ])
      await other.close()
      const winners = taken.filter((each) => each !== undefined)
      expect(winners).toHaveLength(1)
      const at = ['1-abc', '2-def', '3-ghi'].map((ticket) => takenPath('in/a.csv', ticket))
      expect(winners).toEqual([{ ...file, path: at[taken.findIndex((each) => each !== undefined)] }])
      expect(await names()).toEqual([])
      expect(await where.names('in')).toEqual(['.taken'])
      expect(await where.names('in/.taken')).toHaveLength(1)
    })

    test('what is taken is read, and moved with its name', async () => {
      await where.put('in/a.csv', 'abc')
      const file = await mine('in/a.csv')
      expect(String(await read(file))).toBe('abc')
      expect(await move(file)).toBe('out/done/a.csv')
      expect(await where.content('out/done/a.csv')).toBe('abc')
      expect(await source.look(file.path, { signal })).toBeUndefined()
      expect(await where.names('in/.taken')).toEqual([])
    })

    test('a move replaces nothing, and finds nothing to do when it is repeated', async () => {
      await where.put('out/done/a.csv', 'mine')
      await where.put('in/a.csv', 'yours')
      const file = await mine('in/a.csv')
      expect(await move(file)).toBe('out/done/1-abc-a.csv')
      expect(await move(file)).toBeUndefined()
      expect(await where.content('out/done/a.csv')).toBe('mine')
      expect(await where.content('out/done/1-abc-a.csv')).toBe('yours')
    })

    test('a file is removed, once', async () => {
      await where.put('in/a.csv', 'abc')
      const file = await mine('in/a.csv')
      expect(await source.remove(file, { signal })).toBe(true)
      expect(await source.remove(file, { signal })).toBe(false)
      expect(await where.content(file.path)).toBeUndefined()
      expect(await where.names('in/.taken')).toEqual([])
    })

    test('where versions count, only the version that was given is read, moved and removed', async () => {
      if (!source.can.versions) return
      await where.put('in/a.csv', 'abc')
      const file = await found('in/a.csv')
      await where.put('in/a.csv', 'abd')
      const changed = { code: 'source-file-changed' }
      await expect(read(file)).rejects.toMatchObject(changed)
      await expect(move(file)).rejects.toMatchObject(changed)
      await expect(source.remove(file, { signal })).rejects.toMatchObject(changed)
      expect(await where.content('in/a.csv')).toBe('abd')
      expect(await where.names('out/done')).toEqual([])
    })

    test('where there are tags, a file gets one, and stays the same file', async () => {
      if (!source.can.tag) return
      await where.put('in/a.csv', 'abc')
      const file = await found('in/a.csv')
      expect(await source.tag(file, { key: 'audience', value: 'done', signal })).toBe(true)
      expect(await found('in/a.csv')).toEqual(file)
      expect(await source.tag({ ...file, path: 'in/b.csv' }, { key: 'audience', value: 'done', signal })).toBe(false)
    })

    test('a connection that ends fails what is under way at once, and the next call makes another', async () => {
      if (!where.cut) return
      await where.put('in/a.csv', Buffer.alloc(8 * MEGABYTE, 'a'))
      const file = await found('in/a.csv')
      const reading = (async () => {
        let isCut = false
        for await (const _ of source.read(file, { signal })) {
          if (!isCut) await where.cut?.()
          isCut = true
        }
      })()
      await expect(reading).rejects.toMatchObject({ code: 'source-unreachable' })
      expect(await found('in/a.csv')).toEqual(file)
    })

    test('a closed source does nothing more', async () => {
      await where.put('in/a.csv', 'abc')
      const file = await mine('in/a.csv')
      await source.close()
      const away = { code: 'source-unreachable' }
      await expect(list()).rejects.toMatchObject(away)
      await expect(read(file)).rejects.toMatchObject(away)
      await expect(source.remove(file, { signal })).rejects.toMatchObject(away)
      expect(await where.content(file.path)).toBe('abc')
    })
  })
}
