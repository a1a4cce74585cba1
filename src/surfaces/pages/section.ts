/** The first page of the section that a path belongs to. */
export function startOfSection(path: string): { url: string; label: string } {
  if (path.startsWith('/admin')) return { url: '/admin', label: 'the admin area' }
  if (path.startsWith('/account')) return { url: '/account', label: 'your account' }
  return { url: '/', label: 'the home page' }
}
