/** UserInfo as text; throws unless the token is accepted. */
export async function userinfo(origin: string, accessToken: string): Promise<string> {
  const answer = await fetch(`${origin}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${text}`)
  return text
}
