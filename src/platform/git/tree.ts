/** The mode of a symbolic link. */
export const LINK = '120000'
/** The mode of a submodule, which is a commit of another repository. */
export const SUBMODULE = '160000'

/** An entry of a commit, as git reports it: nothing in it is checked. */
export interface TreeEntry {
  /** `100644` and `100755`: a file; `120000`: a link; `160000`: a submodule. */
  readonly mode: string
  readonly id: string
  /** The size of a file, in bytes. */
  readonly size: number
  readonly path: string
}

/** A commit with more entries is not read to its end. */
const MOST_ENTRIES = 20_000
/** A longer entry is not read to its end. */
const MOST_BYTES = 10_000

/** An entry of `git ls-tree -z -l`: `<mode> <type> <id> <size>\t<path>`; undefined if the text is not one. */
export function treeEntry(text: string): TreeEntry | undefined {
  const [, mode, id, size, path] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(text) ?? []
  return mode && id && size && path ? { mode, id, size: Number(size) || 0, path } : undefined
}

/** Reads the output of `git ls-tree -r -z -l`. */
export function createTreeReader() {
  const entries: TreeEntry[] = []
  let rest: Buffer = Buffer.alloc(0)
  return {
    entries: (): readonly TreeEntry[] => entries,
    /** Returns true if there is too much output. */
    add(piece: Buffer): boolean {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        const entry = treeEntry(rest.toString('utf8', 0, end))
        if (entry) entries.push(entry)
        rest = rest.subarray(end + 1)
        if (entries.length > MOST_ENTRIES) return true
      }
      return rest.length > MOST_BYTES
    },
  }
}
