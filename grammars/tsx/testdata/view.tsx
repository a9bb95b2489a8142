import React, { useState } from "react";

/** Props of the button. */
interface ButtonProps {
  label: string;
  onPress?(event: MouseEvent): void;
}

/** A button. */
export const Button: React.FC<ButtonProps> = ({ label, onPress }) => {
  const [count, setCount] = useState(0);
  const handlePress = (event: MouseEvent) => {
    setCount(count + 1);
    onPress?.(event);
  };
  return <button onClick={handlePress}>{label}: don't // {count}</button>;
};

export default function App<T,>({ items }: { items: T[] }) {
  return (
    <>
      {items.map((item) => (
        <Button label={String(item)} />
      ))}
    </>
  );
}

export const Wrapped = React.memo(function Inner() {
  return <App items={[]} />;
});

class Legacy extends React.Component<{}> {
  static defaultProps = { a: 1 };
  render() {
    return <div />;
  }
}
