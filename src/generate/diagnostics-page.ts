import { code, page, table } from './markdown.ts'

/** The page that lists everything that can be wrong with a pipeline document. */
export function diagnosticsPage(codes: Readonly<Record<string, string>>): string {
  return page(
    '# Diagnostics',
    [
      'What `audience validate` can find in a pipeline, by the code that it prints in brackets and as `code` of',
      '`--format json`. Each comes with file, line and column, and all of a document at once.',
    ].join('\n'),
    table(
      ['code', 'meaning'],
      Object.entries(codes)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, meaning]) => [code(name), meaning]),
    ),
  )
}
