-- Trigrams let an index find text inside texts. The owner of a database may create the extension; where it is not
-- installed or not permitted, searches read every row as before, and `doctor` says so.

do $$
begin
  create extension if not exists pg_trgm with schema public;
exception
  when insufficient_privilege or feature_not_supported or undefined_file then
    raise notice 'the extension pg_trgm cannot be created: %', sqlerrm;
end $$;
