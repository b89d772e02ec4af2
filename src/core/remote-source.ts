/**
 * The port to places on other machines where files arrive: an SFTP server, a bucket. Implementations are in `remote/`,
 * and each passes test/contract/remote-source-suite.ts. Names and all other texts from the other end come from somebody
 * else.
 */

/** The maximum number of files in one listing. */
export const MAX_REMOTE_FILES = 10_000
/** The maximum number of entries that a listing reads to find them, because a server might never end its list. */
export const MAX_REMOTE_ENTRIES = 100_000

/** The maximum size of a file, in bytes. */
export const MAX_REMOTE_BYTES = 5_000_000_000

/** A file, as `list` or `look` reports it. */
export interface RemoteFile {
  /**
   * Relative to the root of the source: the folder of the login, or the bucket. Parts are joined by `/`, as in
   * `incoming/a.csv`. With SFTP, a leading `/` begins at the root of the server.
   */
  readonly path: string
  /** The size in bytes. */
  readonly size: number
  /** By the clock of the other end, in milliseconds since 1970. SFTP has whole seconds. */
  readonly mtimeMs: number
  /** Changes with the content, if the source has a version (S3: the ETag). The text has no other meaning. */
  readonly version?: string
}

/** Changes when the file does, as far as this can be known without reading the file. */
export function hintOf({ size, mtimeMs, version }: RemoteFile): string {
  return version === undefined ? `${size} ${mtimeMs}` : `${size} ${mtimeMs} ${version}`
}

interface RemoteListing {
  /** The regular files whose names are wanted, in no particular order. Never more than `MAX_REMOTE_FILES`. */
  readonly files: readonly RemoteFile[]
  /** How many entries with wanted names are not usable files: links, folders, names that `whyNoRemoteName` refuses. */
  readonly unusable: number
}

/** What the other end can do. This is known before the first call and never changes. */
interface RemoteAbilities {
  /**
   * `take` works: in one atomic step, it moves a file to a place where no writer looks for it. Otherwise, `take` is
   * never called, and only the ledger says who has a file.
   */
  readonly take: boolean
  /**
   * `read`, `move` and `remove` act on exactly the version that they are given, and refuse any other with
   * `source-file-changed`. Otherwise, they act on whatever file has the path by then, so the caller takes the file
   * first, and checks before and after.
   */
  readonly versions: boolean
  /** `tag` works. Otherwise, it is never called. */
  readonly tag: boolean
}

/**
 * One location with files. It connects on the first call, and again on the next call after a connection has ended.
 *
 * Calls may overlap. The implementation limits how long each call may take, whatever the other end does. Each rejects
 * with the reason of its signal soon after the signal aborts, and with an `AudienceError` from `remote-error.ts` for
 * what the other end did:
 *
 * - `source-unreachable`: no connection, a connection that ended, no response in time, a response that makes no sense.
 * The call may have been carried out or not; it may be repeated.
 * - `source-access-refused`: the other end does not know the account or the key, or refuses this call (for reading).
 * - `source-host-key`: the host key of the other end is not known, or is not the known one. It is never accepted.
 * - `source-read-only`: this account may not take, move, remove or tag. Nothing has changed.
 * - `source-folder-missing`: there is no such folder to list.
 * - `source-file-changed`: there is another version of the file by now, or the file ended before its full size. Nothing
 * has changed.
 * - `source-too-many`: more than `MAX_REMOTE_FILES` wanted files, or more than `MAX_REMOTE_ENTRIES` entries.
 *
 * No message, hint or cause contains a secret; texts from the other end appear there only shortened and made
 * `printable`.
 */
export interface RemoteSource {
  readonly can: RemoteAbilities

  /** Connects, and describes the other end in a few words: `OpenSSH_9.2, host key SHA256:… ok`. Changes nothing. */
  describe(signal: AbortSignal): Promise<string>

  /**
   * Lists one folder, without the folders in it; `''` is the root of the source. Reads no content and changes nothing.
   * `isWanted` gets the name, without the folder, of each entry that is not hidden (does not begin with a dot).
   */
  list(folder: string, isWanted: (name: string) => boolean, options: { signal: AbortSignal }): Promise<RemoteListing>

  /** A file as it is now; undefined if there is no regular file with this path. */
  look(path: string, options: { signal: AbortSignal }): Promise<RemoteFile | undefined>

  /**
   * The content in pieces, in order, up to exactly `file.size` bytes in all. A file that grows in the meantime is read
   * up to that size. A file that ends earlier, or is gone, throws `source-file-changed`. Without `can.versions`, the
   * content may still be of another version, so the caller checks again after the last piece. A caller that stops in
   * between (`break`, `return`) leaves nothing open.
   */
  read(file: RemoteFile, options: { signal: AbortSignal }): AsyncIterable<Uint8Array>

  /**
   * Moves a file out of its folder to `<folder>/.taken/<ticket>/<name>`, and returns it as it is there. Undefined if
   * the file no longer exists: if two callers take it, one gets it and the other gets undefined. After a crash, the
   * caller looks at `takenPath(file.path, ticket)`.
   */
  take(file: RemoteFile, options: { ticket: string; signal: AbortSignal }): Promise<RemoteFile | undefined>

  /**
   * Moves a file to another folder, which is made if it is missing, and returns its new path. Its name there is `name`
   * or, if something has that name, `<ticket>-<name>`: nothing is ever replaced. Undefined if the file is no longer
   * there, because an earlier call may have moved it. What `take` made for the file is removed, too. If the call is
   * repeated after a crash at any point, it finishes the work.
   */
  move(
    file: RemoteFile,
    options: {
      folder: string
      name: string
      ticket: string
      signal: AbortSignal
    },
  ): Promise<string | undefined>

  /** Removes a file, and what `take` made for it. False if it is gone: an earlier call may have removed it. */
  remove(file: RemoteFile, options: { signal: AbortSignal }): Promise<boolean>

  /**
   * Adds a tag to a file, or changes it, and leaves its other tags. False if the file is no longer there. With
   * `can.versions`, it refuses another version.
   */
  tag(file: RemoteFile, options: { key: string; value: string; signal: AbortSignal }): Promise<boolean>

  /** Ends the connection, within a second. Open calls reject with `source-unreachable`, and so do later ones. */
  close(): Promise<void>
}

/** Where a source is, as audience.yaml defines it. Files have absolute paths. */
export type RemoteConfig = SftpConfig | S3Config

export interface SftpConfig {
  readonly kind: 'sftp'
  readonly host: string
  /** Default: 22, or what `configFile` says. */
  readonly port?: number
  readonly user: string
  readonly keyFile: string
  /** The certificate of the key, signed by an authority. */
  readonly certificateFile?: string
  readonly knownHosts: string
  /** An OpenSSH client configuration, for example for jump hosts. Without it, none is read, not even the user's. */
  readonly configFile?: string
}

export interface S3Config {
  readonly kind: 's3'
  readonly bucket: string
  readonly region: string
  /** Default: the AWS endpoint of the region. */
  readonly endpoint?: string
  /** Whether the bucket is in the path of addresses instead of their host. */
  readonly pathStyle: boolean
  /** Authorities for the endpoint's certificate, besides those that Node knows. */
  readonly caFile?: string
  /** The names of environment variables. Without them, the AWS SDK's chain finds credentials. */
  readonly keys?: { readonly accessKeyIdEnv: string; readonly secretAccessKeyEnv: string }
}
