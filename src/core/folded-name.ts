/** A name in a form for comparisons: case, blanks, invisible characters and the Unicode form make no difference. */
export function foldedName(name: string): string {
  const plain = name.normalize('NFKC').replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s]/gu, '')
  // Converts twice, because some letters have no single counterpart: ß is SS, and a final sigma is a sigma.
  return plain.toUpperCase().toLowerCase().normalize('NFKC').toUpperCase()
}
