import { join } from 'node:path'
import { AudienceError } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { openGitRepository } from '../../platform/git-repository.ts'
import { leavesTree } from '../../policy/leaves-tree.ts'

/**
 * The links of a branch that lead out of its working tree, or into a folder of git. A check would show lines of what they
 * lead to in a comment, where the author of the branch reads them: a token of the machine, for one.
 */
export async function linksOut(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const repository = await openGitRepository(folder, env)
  if (!repository) return []
  const { root, git } = repository
  const listed = await git('ls-files', '--stage', '-z')
  if (listed === undefined)
    throw new AudienceError({
      code: 'no-git-changes',
      kind: 'usage',
      message: `git cannot list the files of ${root}`,
      hint: 'try `git ls-files --stage` in this folder',
    })
  const links = listed.split('\0').flatMap((entry) => /^120000 [^\t]+\t(.+)$/s.exec(entry)?.[1] ?? [])
  return links.filter((path) => leavesTree(join(root, path), root)).map(printable)
}
