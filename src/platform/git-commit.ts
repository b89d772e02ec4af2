import type { AudienceError } from '../core/errors.ts'
import type { GitRepository } from './git-repository.ts'

/**
 * The commit that a ref names. Throws the error that `unusable` makes if the name means more than one thing, such as a
 * branch and a tag, because git would take the tag, and a comparison with it could show no difference.
 */
export async function commitNamed(
  ref: string,
  { git }: Pick<GitRepository, 'git'>,
  {
    option,
    unusable,
  }: { readonly option: string; readonly unusable: (message: string, hint: string) => AudienceError },
): Promise<string> {
  const [name = ''] = ref.split(/[~^@:]/)
  const names = ['refs/', 'refs/tags/', 'refs/heads/', 'refs/remotes/'].map((prefix) => `${prefix}${name}`)
  const found = (await git('for-each-ref', '--format=%(refname)', '--', ...names))?.split('\n') ?? []
  // Git also returns everything below a name: all branches of `origin`.
  const meant = found.filter((one) => names.includes(one))
  if (meant.length > 1)
    throw unusable(
      `${ref} is ambiguous: it names ${meant.join(' and ')}`,
      `give the whole name: ${option} refs/remotes/origin/main`,
    )
  const commit = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`)
  if (commit === undefined)
    throw unusable(`git does not know ${ref || '""'}`, 'fetch it first, for example with fetch-depth: 0 in CI')
  return commit.trim()
}
