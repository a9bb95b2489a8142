import * as React from "react";
import { useEffect, useMemo, type ReactNode } from "react";
import { Button } from "./button";
import type { Theme } from "../theme";

type PanelProps = React.PropsWithChildren<{ title: string }> & { theme?: Theme; onClose(): void };

interface State<T> { rows: T[]; selected?: T }

const initial: State<never> = { rows: [] };

export const Panel: React.FC<PanelProps> = ({ title, children, onClose: close, theme = light }) => {
  const [state, dispatch] = React.useReducer(reduce, initial);
  const { rows, selected: current } = state;
  const total = useMemo(() => rows.reduce((sum, row) => sum + row.count, 0), [rows]);

  useEffect(() => {
    const timer = setTimeout(close, 100);
    return () => clearTimeout(timer);
  }, [close]);

  return (
    <Layout.Side theme={theme} onKeyDown={(event: React.KeyboardEvent) => event.key === "Escape" && close()}>
      <h1 className={styles.title}>{title}</h1>
      {rows.map((row) => (
        <Row<Theme> key={row.id} {...row} active={row === current} onPick={() => dispatch({ type: "pick", row })} />
      ))}
      <>{children}</>
      <Button label={`${total}`} />
    </Layout.Side>
  );
};

function Row<T extends Theme>({ id, active, onPick }: { id: string; active?: boolean; onPick(): void }): ReactNode {
  const ref = React.useRef<HTMLLIElement>(null);
  return active ? <li ref={ref} onClick={onPick}>{id}</li> : null;
}

export class Boundary extends React.Component<PanelProps, State<string>> {
  state: State<string> = { rows: [] };

  static getDerivedStateFromError = (error: Error): Partial<State<string>> => ({ rows: [error.message] });

  componentDidCatch(error: Error, { componentStack }: React.ErrorInfo) {
    this.props.onClose();
    report(error, componentStack);
  }

  override render() {
    const { children } = this.props;
    return this.state.rows.length ? <Fallback rows={this.state.rows} /> : children;
  }
}

export default Panel;
