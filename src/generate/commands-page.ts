import { fence, page } from './markdown.ts'

/** The page with the help texts of all commands. */
export function commandsPage(commands: readonly { readonly name: string; readonly text: string }[]): string {
  return page(
    '# Commands',
    [
      'What `audience help` and `audience help COMMAND` print. What the exit codes mean is in [exit codes](exit-codes.md); the',
      'operations that `audience api` calls are in [operations](operations.md).',
    ].join('\n'),
    ...commands.flatMap(({ name, text }) => [`## ${name}`, fence('text', text)]),
  )
}
