import { AudienceError, unavailableError } from '../../core/errors.ts'
import { formatSizeLimit } from '../../core/format/figures.ts'
import { shortCommit } from '../../core/format/short-commit.ts'
import { printable } from '../../core/printable.ts'
import type { GitEnd } from './run-git.ts'

/** What git says, our error code, and what to do. The first match counts. */
const KNOWN: readonly (readonly [RegExp, code: string, what: string, hint: string])[] = [
  [
    /Host key verification failed|host key .* changed|No .* host key is known/i,
    'git-host-unknown',
    'the host key of the server is not the one in knownHosts',
    'ask the owner of the server for its host key, and write that key into the file of `knownHosts`',
  ],
  [
    // Git asks for a name when a server refuses the token.
    /could not read (Username|Password)|Authentication failed|Access denied|returned error: 40[137]|Permission denied|invalid format|bad permissions|dubious ownership/i,
    'git-access-refused',
    'the server refuses access',
    'check the token or the key; it must have the right to read this repository',
  ],
  [
    /not our ref|unadvertised object/i,
    'git-commit-gone',
    'the repository no longer has the commit',
    'push the commit there again, or push a new one',
  ],
  [
    /fsck error|contains '\.\.'|hasDot|hasDotgit|fullPathname|duplicateEntries|badTree/i,
    'deploy-unsafe',
    'git refuses objects of the commit',
    'check the commit with `git fsck`; nothing of this commit is used',
  ],
  [
    /not found|does not appear to be a git repository|not a git repository|is this a git repository|not valid|no matching remote/i,
    'git-not-a-repository',
    'there is no git repository at this address',
    'check `pipelines.git.url`; a host may give the same answer if the token has no access to the repository',
  ],
  [
    /unable to update url base from redirection|redirect|returned error: 30\d/i,
    'git-unreachable',
    'the server sends git to another address, and redirects are not followed',
    'if the address that the server names is right, write it into `pipelines.git.url`',
  ],
]
const UNREACHABLE = [
  'git-unreachable',
  'the repository cannot be reached',
  'this will be retried automatically',
] as const
const MOST_SHOWN = 300

/** The error of a git call that failed because of the remote. `redact` removes the secrets of this process. */
export function gitError(end: GitEnd, url: string, redact: (text: string) => string): AudienceError {
  const isLate = end.cut === 'late'
  const known = isLate ? undefined : KNOWN.find(([pattern]) => pattern.test(end.said))
  const [, code, what, hint] = known ?? [undefined, ...UNREACHABLE]
  const said = isLate ? 'it did not answer in time' : lineOf(end.said)
  const message = redact(printable(`${url}: ${what}${said ? ` (${said})` : ''}`))
  return unavailableError(code, message, hint)
}

/**
 * The line that gives the reason. Text from the server is data, so only one line of it is shown, without control
 * characters.
 */
function lineOf(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const line = lines.findLast((each) => /^(fatal|error|ssh|Host|.*Permission)/.test(each)) ?? lines.find(Boolean) ?? ''
  return line.replace(/^(fatal|error): /, '').slice(0, MOST_SHOWN)
}

/**
 * An error whose code does not depend on the words of git, unlike the code of `gitError`. A code with `git-` is about
 * the connection to the repository; a code with `deploy-` is about a commit, which is then invalid.
 */
function failure(code: `git-${string}` | `deploy-${string}`, message: string, hint: string): AudienceError {
  return new AudienceError({ code, kind: code.startsWith('git-') ? 'unavailable' : 'invalid', message, hint })
}

export const noGit = () => failure('git-unreachable', 'the program git is not installed', 'install git 2.34 or newer')
export const refGone = (ref: string, url: string) =>
  failure('git-ref-gone', `${url} has no branch or tag ${ref}`, 'the deployed commit stays in use')
export const noRefs = (url: string) =>
  failure(
    'git-not-a-repository',
    `${url} answers, but does not list any branch or tag`,
    'a sign-in page gives the same answer: check the address and the token',
  )
export const tooMany = () =>
  failure('deploy-too-large', 'the commit has too many files', 'keep pipelines in a folder, and name it with `path`')
export const tooDeep = () =>
  failure(
    'deploy-too-large',
    'git cannot list the folders of the commit: they are nested too deeply',
    'keep pipelines in few folders',
  )
export const commitTooLarge = (most: number) =>
  failure(
    'deploy-too-large',
    `the commit has more than ${formatSizeLimit(most)}`,
    'keep large files elsewhere, for example in a bucket',
  )
export const noFolder = (path: string) =>
  failure('deploy-invalid', `the commit has no folder ${path}`, 'check `pipelines.git.path`')
export const unsigned = (commit: string) =>
  failure(
    'deploy-unsigned',
    `${shortCommit(commit)} has no ssh signature by an allowed signer`,
    'sign it with `git commit -S`, or add its key to the file of `signedBy`',
  )

export function storeTrouble({ said }: GitEnd, redact: (text: string) => string): AudienceError {
  const why = redact(said.split('\n')[0] ?? '').slice(0, 300)
  return failure('git-unreachable', `git cannot read what it fetched (${why})`, 'this will be retried automatically')
}
