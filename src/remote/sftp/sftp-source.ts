import type { SteadyClock, Timer } from '../../core/clock.ts'
import { printable } from '../../core/printable.ts'
import { namesTaken, remoteError, tooManyEntries } from '../../core/remote-error.ts'
import { joinRemotePath, splitRemotePath, takenPath, whyNoRemoteName } from '../../core/remote-path.ts'
import {
  MAX_REMOTE_ENTRIES,
  MAX_REMOTE_FILES,
  type RemoteFile,
  type RemoteSource,
  type SftpConfig,
} from '../../core/remote-source.ts'
import { TAKEN_FOLDER } from '../../core/shown-path.ts'
import { type Attributes, REQUEST, type SftpAnswer, STATUS } from './packets.ts'
import { readPieces } from './read-pieces.ts'
import { SftpConnection, unexpected, withSignal } from './sftp-connection.ts'

/** A connection that nobody has needed for this long is closed. A check each minute keeps it open. */
const IDLE_MS = 90_000
const READ_ONLY = 1

/** The files of an account on an SFTP server, through the OpenSSH client of this machine. */
export class SftpSource implements RemoteSource {
  readonly can = { take: true, versions: false, tag: false } as const
  readonly #config: SftpConfig
  readonly #clock: SteadyClock
  #connection: Promise<SftpConnection> | undefined
  #calls = 0
  #idle: Timer | undefined
  #isClosed = false

  constructor(config: SftpConfig, clock: SteadyClock) {
    this.#config = config
    this.#clock = clock
  }

  describe(signal: AbortSignal): Promise<string> {
    return this.#call(signal, async ({ greeting: { software, hostKey } }) => {
      const program = printable(software ?? 'SFTP').replace(/p\d+$/, '')
      return hostKey === undefined ? `${program}, host key ok` : `${program}, host key ${hostKey} ok`
    })
  }

  list(folder: string, isWanted: (name: string) => boolean, { signal }: { signal: AbortSignal }) {
    return this.#call(signal, async (connection) => {
      const opened = await connection.request(REQUEST.opendir, folder === '' ? '.' : folder)
      if (opened.kind !== 'handle') {
        if (isStatus(opened, STATUS.missing)) throw folderMissing(folder)
        throw unexpected(opened, `the folder ${folder || '.'} cannot be listed`)
      }
      try {
        return await this.#entries(connection, opened.handle, { folder, isWanted, signal })
      } finally {
        void connection.request(REQUEST.close, opened.handle).catch(() => undefined)
      }
    })
  }

  async #entries(
    connection: SftpConnection,
    handle: Buffer,
    { folder, isWanted, signal }: { folder: string; isWanted: (name: string) => boolean; signal: AbortSignal },
  ) {
    const files: RemoteFile[] = []
    let unusable = 0
    let seen = 0
    for (;;) {
      signal.throwIfAborted()
      const answer = await connection.request(REQUEST.readdir, handle)
      if (isStatus(answer, STATUS.eof)) return { files, unusable }
      if (answer.kind !== 'name') throw unexpected(answer, `the folder ${folder || '.'} cannot be listed`)
      // A response without names counts, too, because the server may send empty responses forever.
      seen += Math.max(1, answer.entries.length)
      for (const { name, attributes } of answer.entries) {
        if (name === '' || name.startsWith('.') || !isWanted(name)) continue
        const path = joinRemotePath(folder, name)
        const file = whyNoRemoteName(name) === undefined ? await this.#fileOf(connection, path, attributes) : undefined
        if (file) files.push(file)
        else unusable += 1
      }
      if (seen > MAX_REMOTE_ENTRIES || files.length > MAX_REMOTE_FILES) throw tooManyEntries(folder, files.length)
    }
  }

  /** A regular file. If the listing says too little, the server is asked. */
  async #fileOf(connection: SftpConnection, path: string, listed: Attributes): Promise<RemoteFile | undefined> {
    const { kind, size, mtime } = listed
    if (kind === 'folder' || kind === 'other') return undefined
    if (kind === 'unknown' || size === undefined || mtime === undefined) return lookAt(connection, path)
    return { path, size, mtimeMs: mtime * 1000 }
  }

  look(path: string, { signal }: { signal: AbortSignal }): Promise<RemoteFile | undefined> {
    return this.#call(signal, (connection) => lookAt(connection, path))
  }

  async *read({ path, size }: RemoteFile, { signal }: { signal: AbortSignal }): AsyncIterable<Uint8Array> {
    const connection = await this.#begin(signal)
    try {
      const opened = await withSignal(signal, connection.request(REQUEST.open, path, READ_ONLY, 0))
      if (isStatus(opened, STATUS.missing)) throw changed(path)
      if (opened.kind !== 'handle') throw unexpected(opened, `${path} cannot be read`)
      try {
        let at = 0
        for await (const piece of readPieces(connection, opened.handle, { size, signal })) {
          at += piece.length
          yield piece
        }
        if (at < size) throw changed(path)
      } finally {
        // Nobody waits for the response to this, because the connection may hang.
        void connection.request(REQUEST.close, opened.handle).catch(() => undefined)
      }
    } finally {
      this.#over()
    }
  }

  take(file: RemoteFile, { ticket, signal }: { ticket: string; signal: AbortSignal }) {
    return this.#call(signal, async (connection) => {
      const path = takenPath(file.path, ticket)
      const { folder } = splitRemotePath(path)
      await makeFolder(connection, splitRemotePath(folder).folder)
      await makeFolder(connection, folder)
      const answer = await connection.request(REQUEST.rename, file.path, path)
      if (isStatus(answer, STATUS.ok)) return lookAt(connection, path)
      await tidy(connection, path)
      if (isStatus(answer, STATUS.missing)) return undefined
      throw unexpected(answer, `${file.path} cannot be taken`, 'write')
    })
  }

  move(
    { path }: RemoteFile,
    given: { folder: string; name: string; ticket: string; signal: AbortSignal },
  ): Promise<string | undefined> {
    const { folder, name, ticket, signal } = given
    return this.#call(signal, async (connection) => {
      if (!(await lookAt(connection, path))) {
        await tidy(connection, path)
        return undefined
      }
      await makeFolders(connection, folder)
      const names = [name, `${ticket}-${name}`]
      for (const as of names) {
        const to = joinRemotePath(folder, as)
        // Some servers replace a file that already has the name.
        if (await isThere(connection, to)) continue
        const answer = await connection.request(REQUEST.rename, path, to)
        if (isStatus(answer, STATUS.missing)) return undefined
        // Somebody else may have made it since the check.
        if (isStatus(answer, STATUS.failure) && (await isThere(connection, to))) continue
        if (!isStatus(answer, STATUS.ok)) throw unexpected(answer, `${path} cannot be moved to ${folder}`, 'write')
        await tidy(connection, path)
        return to
      }
      throw namesTaken(path, folder, names)
    })
  }

  remove({ path }: RemoteFile, { signal }: { signal: AbortSignal }): Promise<boolean> {
    return this.#call(signal, async (connection) => {
      const answer = await connection.request(REQUEST.remove, path)
      if (!isStatus(answer, STATUS.ok) && !isStatus(answer, STATUS.missing))
        throw unexpected(answer, `${path} cannot be removed`, 'write')
      await tidy(connection, path)
      return isStatus(answer, STATUS.ok)
    })
  }

  async tag(): Promise<boolean> {
    throw new Error('SFTP does not have tags')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#idle?.cancel()
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }

  async #call<T>(signal: AbortSignal, work: (connection: SftpConnection) => Promise<T>): Promise<T> {
    const connection = await this.#begin(signal)
    return withSignal(
      signal,
      work(connection).finally(() => this.#over()),
    )
  }

  /** Returns a connection for one call. The caller calls `#over` when the call has ended. */
  async #begin(signal: AbortSignal): Promise<SftpConnection> {
    signal.throwIfAborted()
    this.#idle?.cancel()
    this.#calls += 1
    try {
      return await withSignal(signal, this.#connected())
    } catch (error) {
      this.#over()
      throw error
    }
  }

  /** If many calls find no open connection, the first of them makes a new connection. */
  async #connected(): Promise<SftpConnection> {
    if (this.#isClosed) throw remoteError('source-unreachable', { message: 'the source is closed' })
    this.#connection ??= SftpConnection.open(this.#config, this.#clock)
    const mine = this.#connection
    const connection = await mine.catch((error: unknown) => {
      if (this.#connection === mine) this.#connection = undefined
      throw error
    })
    if (!connection.isEnded) return connection
    if (this.#connection === mine) this.#connection = undefined
    return this.#connected()
  }

  #over(): void {
    this.#calls -= 1
    if (this.#calls > 0 || this.#isClosed) return
    this.#idle = this.#clock.timer(IDLE_MS, () => {
      const connection = this.#connection
      this.#connection = undefined
      void connection?.then((each) => each.close()).catch(() => undefined)
    })
  }
}

async function lookAt(connection: SftpConnection, path: string): Promise<RemoteFile | undefined> {
  const answer = await connection.request(REQUEST.lstat, path)
  if (isStatus(answer, STATUS.missing)) return undefined
  if (answer.kind !== 'attrs') throw unexpected(answer, `${path} cannot be examined`)
  const { kind, size, mtime } = answer.attributes
  if (kind === 'folder' || kind === 'other' || size === undefined) return undefined
  return { path, size, mtimeMs: (mtime ?? 0) * 1000 }
}

async function isThere(connection: SftpConnection, path: string): Promise<boolean> {
  return !isStatus(await connection.request(REQUEST.lstat, path), STATUS.missing)
}

async function makeFolders(connection: SftpConnection, folder: string): Promise<void> {
  if (folder === '' || folder === '/') return
  const answer = await connection.request(REQUEST.lstat, folder)
  if (answer.kind === 'attrs') return
  await makeFolders(connection, splitRemotePath(folder).folder)
  await makeFolder(connection, folder)
}

async function makeFolder(connection: SftpConnection, folder: string): Promise<void> {
  const answer = await connection.request(REQUEST.mkdir, folder, 0)
  // A server answers with a failure if the folder already exists.
  if (isStatus(answer, STATUS.ok) || (isStatus(answer, STATUS.failure) && (await isThere(connection, folder)))) return
  throw unexpected(answer, `the folder ${folder} cannot be made`, 'write')
}

/** Removes the folder of a ticket when its file has left it. */
async function tidy(connection: SftpConnection, path: string): Promise<void> {
  const { folder } = splitRemotePath(path)
  if (splitRemotePath(splitRemotePath(folder).folder).name !== TAKEN_FOLDER) return
  await connection.request(REQUEST.rmdir, folder)
}

function isStatus(answer: SftpAnswer, code: number): boolean {
  return answer.kind === 'status' && answer.code === code
}

function folderMissing(folder: string) {
  return remoteError('source-folder-missing', {
    message: `there is no folder ${folder || '.'}`,
    hint: 'a path begins in the login folder or, if it starts with /, at the root of the server',
  })
}

function changed(path: string) {
  return remoteError('source-file-changed', {
    message: `${path} is gone, or shorter than it was`,
    hint: 'it is read again when it has settled',
  })
}
