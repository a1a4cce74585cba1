const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id of another shape names nothing; asking the database for it would be an error there. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
