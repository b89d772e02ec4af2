import { test } from 'vitest'
import { openEditor } from './editor.ts'
const HEAD = '# yaml-language-server: $schema=../schemas/pipeline.schema.json\nversion: 1\nname: x\n'
test('probe', async () => {
  const e = openEditor()
  const show = (x: unknown) => console.log(JSON.stringify(x, null, 1).slice(0, 3000))
  show(await e.complete(HEAD + '|'))
  show(await e.complete(HEAD + 'steps:\n  - id: a\n    |'))
  show(await e.complete(HEAD + 'steps:\n  - id: a\n    uses: |'))
  show(await e.complete(HEAD + 'steps:\n  - id: a\n    uses: segments.create\n    with:\n      |'))
  show(await e.complete(HEAD + 'steps:\n  - id: a\n    uses: segments.create\n    with:\n      uploadSignal: |'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    us|es: segments.create\n    with:\n      uploadSignal: EMAIL'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    uses: segm|ents.create\n    with:\n      uploadSignal: EMAIL'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    uses: segments.create\n    wi|th:\n      uploadSignal: EMAIL'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    uses: segments.create\n    with:\n      uploadSi|gnal: EMAIL'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    uses: segments.create\n    with:\n      segm|entName: EMAIL'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    uses: activations.create\n    with:\n      refresh|Rate: 30'))
  show(await e.hover(HEAD + 'steps:\n  - id: a\n    uses: matches.testControl\n    with:\n      control|HoldoutPercent: 30'))
  show(await e.problems(HEAD + 'steps:\n  - id: a\n    uses: segments.crate\n'))
  show(await e.problems(HEAD + 'steps:\n  - id: a\n    uses: segments.get\n    with: { idd: x }\n'))
  show(await e.problems(HEAD + 'steps:\n  - id: a\n    uses: activations.create\n    with: { refreshRate: 31 , segmentName: "" }\n'))
  show(await e.problems(HEAD + 'steps:\n  - id: a\n    use: segments.get\n    with: { id: x }\n'))
})
