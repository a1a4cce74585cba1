-- What an application still holds of what a person authorized. A function, because a subquery in its place
-- would cost every refresh: PostgreSQL prepares it also where the application holds everything. In plpgsql,
-- because PostgreSQL would put the text of an SQL function back into the query.

create function held_scopes(wanted text[], held text[]) returns text[]
  language plpgsql immutable strict parallel safe as $$
begin
  return array(select scope from unnest(wanted) scope where scope = any (held));
end $$;
comment on function held_scopes is 'the wanted scopes that are held too, in the order of the wanted ones';
