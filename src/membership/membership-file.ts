import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FILE_SIGNALS, type FileSignal } from '../contract/enumerations.ts'
import { codeOf } from '../core/code-of.ts'
import { AudienceError } from '../core/errors.ts'
import { isJsonObject, parseJson, stringifyJson } from '../core/json.ts'
import { systemHint } from '../core/system-hint.ts'
import { tried } from '../core/tried.ts'
import { makeFolder } from '../platform/make-folder.ts'

/** The facts that a file records about the list of one step execution. */
export interface ListFacts {
  /** The step execution as people write it. */
  readonly step: string
  /** When it was written, in milliseconds since 1970. */
  readonly at: number
  readonly keys: number
  /** What the keys are: lists are compared only with lists of the same form. */
  readonly form: KeyForm
  /** The rules by which its keys were normalised; absent in files of versions before `service/2`. */
  readonly normalisation?: string | undefined
  /** The id of the key that made the fingerprints; absent if only the number of keys is kept. */
  readonly keyId?: string
}

export interface KeyForm {
  readonly signal: FileSignal
  readonly hash: 'none' | 'sha256'
}

/** The length of the header of each file. The fingerprints follow it. */
const HEADER_BYTES = 4096
const FINGERPRINT_BYTES = 8
const BLOCK_BYTES = 2 ** 19

export function isSameForm(one: KeyForm, other: KeyForm): boolean {
  return one.signal === other.signal && one.hash === other.hash
}

/**
 * Writes the facts of a list, with its fingerprints, to a temporary file, and then gives the file its final name. Only
 * the owner can read it.
 */
export async function writeMembership(
  file: string,
  facts: ListFacts,
  fingerprints: { blocks(): Iterable<Uint32Array> } | undefined,
): Promise<void> {
  const header = headerOf(facts)
  const aside = `${file}.partial`
  try {
    makeFolder(dirname(file))
    await using handle = await open(aside, 'w', 0o600)
    await handle.writeFile(header)
    for (const block of fingerprints?.blocks() ?? []) await handle.writeFile(block)
    await handle.sync()
    await rename(aside, file)
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined)
    throw unusable(file, 'written', error)
  }
}

/** The facts of a list; undefined if there is no such file, or if the file is incomplete. */
export async function readFacts(file: string): Promise<ListFacts | undefined> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(HEADER_BYTES), length: HEADER_BYTES })
    const facts = factsIn(buffer.toString('utf8', 0, bytesRead))
    const fingerprints = facts?.keyId === undefined ? 0 : facts.keys
    return (await handle.stat()).size === HEADER_BYTES + fingerprints * FINGERPRINT_BYTES ? facts : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(file, 'read', error)
  }
}

/** The fingerprints of a list in ascending order, in blocks of pairs of 32-bit numbers. */
export async function* readBlocks(file: string): AsyncGenerator<Uint32Array> {
  await using handle = await open(file)
  for (let position = HEADER_BYTES; ; ) {
    const buffer = Buffer.alloc(BLOCK_BYTES)
    const { bytesRead } = await handle.read({ buffer, position })
    // The size of the file was checked; a read returns less only at the end.
    if (bytesRead === 0) return
    yield new Uint32Array(buffer.buffer, buffer.byteOffset, bytesRead / 4)
    position += bytesRead
  }
}

function unusable(file: string, what: 'written' | 'read', cause: unknown): AudienceError {
  return new AudienceError({
    code: 'fingerprints-unusable',
    kind: 'failed',
    message: `the fingerprints of a list cannot be ${what}: the system reports ${codeOf(cause)} for ${file}`,
    hint: `${systemHint(cause) ?? 'check that its folder exists'}; nothing was sent`,
    cause,
  })
}

function headerOf({ step, at, keys, form, normalisation, keyId }: ListFacts): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, ' ')
  const named = { normalisation, keyId }
  const text = stringifyJson({ version: 1, step, at, keys, ...form, ...named })
  if (Buffer.byteLength(text) > HEADER_BYTES) throw new Error(`the name of step ${step} is too long`)
  header.write(text)
  return header
}

function factsIn(header: string): ListFacts | undefined {
  const facts = tried(() => parseJson(header))
  if (!isJsonObject(facts) || facts.version !== 1) return undefined
  const { step, at, keys, hash, normalisation, keyId } = facts
  const signal = FILE_SIGNALS.find((one) => one === facts.signal)
  if (typeof step !== 'string' || typeof at !== 'number' || typeof keys !== 'number') return undefined
  if (!signal || (hash !== 'none' && hash !== 'sha256')) return undefined
  const rules = typeof normalisation === 'string' ? normalisation : undefined
  return {
    step,
    at,
    keys,
    form: { signal, hash },
    normalisation: rules,
    keyId: typeof keyId === 'string' ? keyId : undefined,
  }
}
